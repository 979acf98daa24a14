def max_sublist_sum(arr):
    best = 0
    total = 0
    lowest = 0
    for value in arr:
        total += value
        best = max(best, total - lowest)
        lowest = min(lowest, total)
    return best
