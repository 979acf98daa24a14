def fill_gauge_gaps(levels, longest):
    """Return the levels of a gauge with the missing ones (None) put on a
    straight line, rounded to one digit, between the known levels around
    them; gaps of more than longest, and those at either end, stay.
    """
    filled = list(levels)
    known = [i for i, level in enumerate(levels) if level is not None]
    for left, right in zip(known, known[1:]):
        width = right - left
        if width - 1 > longest:
            continue
        slope = (levels[right] - levels[left]) / width
        for index in range(left + 1, right):
            level = levels[left] + slope * (index - left)
            filled[index] = round(level, 1)
    return filled
