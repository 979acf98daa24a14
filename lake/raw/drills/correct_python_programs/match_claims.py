def match_claims(found, claims):
    """Give every claim [kind, colour, day lost], in turn, the index of the
    first item [kind, colour, day found] that nobody got before, of the same
    kind and colour and found on that day or later; a claim's colour None
    fits all. Return the list of indexes, with None where nothing fits.
    """
    given = []
    for kind, colour, lost in claims:
        match = None
        for index, (what, shade, day) in enumerate(found):
            if index in given or what != kind or day < lost:
                continue
            if colour is None or colour == shade:
                match = index
                break
        given.append(match)
    return given
