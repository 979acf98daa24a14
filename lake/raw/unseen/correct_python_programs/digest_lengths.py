def digest_lengths(strand, site, cut, ring):
    """Return the lengths, longest first, of the pieces of a strand that is
    cut behind that many letters of each occurrence of the site; there are no
    empty pieces. In a ring a site may run over the end into the beginning,
    and the first cut only opens it.
    """
    size = len(strand)
    text = strand + strand[:len(site) - 1] if ring else strand
    cuts = []
    for place in range(len(text) - len(site) + 1):
        if text.startswith(site, place):
            cuts.append(place + cut)
    if not ring:
        ends = [0] + cuts + [size]
    else:
        ends = cuts + [cuts[0] + size] if cuts else [0, size]
    pieces = [end - start for start, end in zip(ends, ends[1:])]
    return sorted(filter(None, pieces), reverse=True)
