def count_inversions(values):
    """Return how many pairs of positions hold a larger value at the earlier
    position and a smaller value at the later one."""
    if len(values) < 2:
        return 0
    middle = len(values) // 2
    left = sorted(values[:middle])
    right = sorted(values[middle:])
    total = count_inversions(values[:middle])
    total += count_inversions(values[middle:])
    passed = 0
    for value in left:
        while passed < len(right) and right[passed] < value:
            passed += 1
        total += passed
    return total
