def domino_line(tiles):
    """Lay dominoes [a, b] one after the other at the right end of a line or
    else at its left end, turned round where only that way equal numbers
    touch, and return [line, tiles that did not fit]; the first is laid as
    it is.
    """
    line, aside = [], []
    for one, other in tiles:
        if not line or one == line[-1][1]:
            line.append([one, other])
        elif other == line[-1][1]:
            line.append([other, one])
        elif other == line[0][0]:
            line.insert(0, [one, other])
        elif one == line[0][0]:
            line.insert(0, [other, one])
        else:
            aside.append([one, other])
    return [line, aside]
