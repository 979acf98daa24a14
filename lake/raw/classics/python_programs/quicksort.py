def quicksort(arr):
    if len(arr) < 2:
        return list(arr)
    pivot = arr[len(arr) // 2]
    below = [n for n in arr if n < pivot]
    equal = [n for n in arr if n == pivot]
    above = [n for n in arr if n > pivot]
    return quicksort(below) + equal + above


"""
Quicksort that parts a list in three

Input:
    arr: a list of ints, possibly empty, possibly with repetitions

Output:
    A new list with all elements of arr in ascending order

Examples:
    >>> quicksort([8, 3, 5])
    [3, 5, 8]
    >>> quicksort([1, 1, 0])
    [0, 1, 1]
"""
