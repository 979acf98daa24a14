def median(values):
    ordered = sorted(values)
    size = len(ordered)
    if size == 0:
        return None
    middle = size // 2
    if size % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
