def find_first_in_sorted(arr, x):
    low, high = 0, len(arr)
    while low < high:
        middle = (low + high) // 2
        if arr[middle] < x:
            low = middle + 1
        else:
            high = middle
    if arr[low] == x:
        return low
    return -1


"""
Leftmost match in a sorted list, by halving the search range

Input:
    arr: a list of ints in ascending order, possibly empty
    x: the int to look for

Output:
    The position of the leftmost element equal to x; -1 when there is none

Examples:
    >>> find_first_in_sorted([2, 4, 4, 4, 9], 4)
    1
    >>> find_first_in_sorted([2, 4, 4, 4, 9], 10)
    -1
"""
