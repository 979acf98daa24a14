def longest_below_record(levels):
    """Return [start, length] of the longest stretch of levels in a row that
    are lower than the highest level before them, the first of equally long
    ones; an empty list if no level is lower.
    """
    best = []
    length = 0
    record = float("-inf")
    for index, level in enumerate(levels):
        if level >= record:
            record = level
            length = 0
            continue
        length += 1
        if not best or length > best[1]:
            best = [index - length + 1, length]
    return best
