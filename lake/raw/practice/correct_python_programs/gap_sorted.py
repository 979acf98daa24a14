def gap_sorted(values, gap):
    """Return a copy in which the values at positions gap apart (0, gap,
    2 * gap and so on, and likewise from 1, 2, ...) are in rising order."""
    result = list(values)
    for start in range(gap, len(result)):
        held = result[start]
        spot = start
        while spot >= gap and result[spot - gap] > held:
            result[spot] = result[spot - gap]
            spot -= gap
        result[spot] = held
    return result
