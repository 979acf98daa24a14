def kth(arr, k):
    for candidate in arr:
        lower = sum(1 for other in arr if other < candidate)
        equal = arr.count(candidate)
        if lower <= k <= lower + equal:
            return candidate


"""
Order statistic without sorting

Input:
    arr: a list of ints, in any order, possibly with repetitions
    k: an int, at least 0 and below the length of arr

Output:
    The int that would stand at position k if arr were sorted

Examples:
    >>> kth([30, 10, 20], 1)
    20
    >>> kth([5, 1, 5, 2], 3)
    5
"""
