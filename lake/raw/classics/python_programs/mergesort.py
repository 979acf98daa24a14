def mergesort(arr):
    runs = [[number] for number in arr]
    while len(runs) > 1:
        first, second = runs.pop(0), runs.pop(0)
        merged = []
        while first and second:
            source = first if first[0] <= second[0] else second
            merged.append(source.pop(0))
        runs.append(merged + first)
    return runs[0] if runs else []


"""
Merge sort from the bottom up

Input:
    arr: a list of ints, possibly empty, possibly with repetitions

Output:
    A new list with all elements of arr in ascending order

Examples:
    >>> mergesort([4, 1, 3])
    [1, 3, 4]
    >>> mergesort([2, 2, 1])
    [1, 2, 2]
"""
