def pairs_with_gap(numbers, gap):
    """Return [low, high, ways] for each two values with high - low == gap
    (gap >= 0), by rising low; ways counts the pairs of positions that hold
    them, and only entries with ways above zero are listed."""
    counts = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    result = []
    for low in sorted(counts):
        if gap == 0:
            ways = counts[low] * (counts[low] - 1) // 2
        else:
            ways = counts[low] * counts.get(low + gap, 0)
        if ways > 0:
            result.append([low, low + gap, ways])
    return result
