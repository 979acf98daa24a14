def overlap(first, second):
    start = max(first[0], second[0])
    end = min(first[1], second[1])
    if start >= end:
        return None
    return [start, end]
