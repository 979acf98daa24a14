def frost_free_span(lows, middle):
    """Return [first, last] day of the days in a row without frost around the
    day middle, given the lowest temperature of each day from day 0 on, or
    None if there is frost on that day itself; frost means 0 or less.
    """
    if lows[middle] <= 0:
        return None
    first = last = middle
    while first > 0 and lows[first - 1] > 0:
        first -= 1
    while last + 1 < len(lows) and lows[last + 1] > 0:
        last += 1
    return [first, last]
