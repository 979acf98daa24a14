def calmest_window(values, width):
    """Return [start, spread] of the window of width values in a row with the
    smallest spread, its largest minus its smallest value. Of several take
    the one with the smallest sum, then the first; None if values are too few.
    """
    best = None
    for start in range(len(values) - width + 1):
        window = values[start:start + width]
        rating = (max(window) - min(window), sum(window), start)
        if best is None or rating < best:
            best = rating
    if best is None:
        return None
    spread, _, start = best
    return [start, spread]
