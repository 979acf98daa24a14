def smallest_mode(values):
    """Return the most frequent value, the smallest one when several are
    equally frequent, or None for an empty list."""
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    best = None
    for value, count in counts.items():
        if best is None or count > counts[best]:
            best = value
        elif count == counts[best] and value < best:
            best = value
    return best
