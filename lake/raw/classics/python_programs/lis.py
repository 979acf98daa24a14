def lis(arr):
    best = []
    for i, value in enumerate(arr):
        best.append(1)
        for j in range(i):
            if arr[j] < value:
                best[i] = max(best[i], best[j] + 1)
                break
    return max(best, default=0)


"""
Length of the longest rising selection

Input:
    arr: a list of distinct ints, possibly empty

Output:
    The largest number of elements that can be kept, in their order, such
    that each kept element is larger than the one kept before it

Examples:
    >>> lis([2, 8, 3, 5])
    3
    >>> lis([9, 6, 1])
    1
"""
