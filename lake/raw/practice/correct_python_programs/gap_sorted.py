def gap_sorted(values, gap):
    """Return a copy in which the values at positions gap apart (0, gap,
    2 * gap and so on, and likewise from 1, 2, ...) are in rising order."""
    result = list(values)
    for start in range(gap):
        lane = result[start::gap]
        lane.sort()
        for place, value in enumerate(lane):
            result[start + place * gap] = value
    return result
