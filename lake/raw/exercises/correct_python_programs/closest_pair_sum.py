def closest_pair_sum(numbers, target):
    """Return the two numbers, smaller first, whose sum is closest to target,
    the pair furthest apart of equals, or None if there are no two.
    """
    ordered = sorted(numbers)
    low, high = 0, len(ordered) - 1
    best = None
    while low < high:
        gap = ordered[low] + ordered[high] - target
        if best is None or abs(gap) < abs(sum(best) - target):
            best = [ordered[low], ordered[high]]
        if gap < 0:
            low += 1
        else:
            high -= 1
    return best
