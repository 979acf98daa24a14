import heapq


def kheapsort(arr, k):
    window = []
    for number in arr:
        window.append(number)
        if len(window) > k:
            yield heapq.heappop(window)
    while window:
        yield heapq.heappop(window)


"""
Sort a nearly sorted list with a small heap

Every element of the list is at most k places away from the place that it
has in sorted order, so a heap of k + 1 elements always holds the next one.

Input:
    arr: a list of distinct ints, nearly sorted in the sense above
    k: an int, zero or more

Output:
    A generator of all elements of arr in ascending order

Examples:
    >>> list(kheapsort([2, 1, 4, 3], 1))
    [1, 2, 3, 4]
    >>> list(kheapsort([30, 20, 10], 2))
    [10, 20, 30]
"""
