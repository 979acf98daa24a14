def counting_out(names, syllables):
    """Return the order in which children in a ring go out, counting from the
    first, then each time from the one after, with the rhyme a syllable longer
    each time.
    """
    ring = list(names)
    out = []
    place = 0
    while ring:
        place = (place + syllables - 1) % len(ring)
        out.append(ring.pop(place))
        syllables += 1
    return out
