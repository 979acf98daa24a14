def reversi_line(line, spot, me):
    """Return the line after a disc of player me is put on the dot at spot and
    turns each unbroken run of other discs between it and a disc of me."""
    result = list(line)
    result[spot] = me
    for step in (1, -1):
        end = spot + step
        while 0 <= end < len(line) and line[end] not in (".", me):
            end += step
        if 0 <= end < len(line) and line[end] == me:
            for i in range(spot, end, step):
                result[i] = me
    return "".join(result)
