def max_sublist_sum(arr):
    best = 0
    total = 0
    lowest = 0
    for value in arr:
        total += value
        best = max(best, total - lowest)
        lowest = min(lowest, value)
    return best


"""
Largest sum of neighbouring elements

Keeps the sum of all elements so far and the lowest such sum seen earlier.

Input:
    arr: a list of ints, possibly empty

Output:
    The largest sum of a stretch of consecutive elements; the empty
    stretch counts too, with sum 0

Examples:
    >>> max_sublist_sum([3, -1, 4, -9, 2])
    6
    >>> max_sublist_sum([-2, -6])
    0
"""
