def find_in_sorted(arr, x):
    left = 0
    right = len(arr) - 1
    while left <= right:
        centre = (left + right) // 2
        guess = arr[centre]
        if guess == x:
            return centre
        if guess > x:
            left = centre + 1
        else:
            right = centre - 1
    return -1


"""
Position of a value in a sorted list of distinct numbers

Input:
    arr: a list of ints in ascending order, no int twice
    x: the int to look for

Output:
    The position p with arr[p] == x; -1 when x is not in the list

Examples:
    >>> find_in_sorted([11, 14, 19, 23], 23)
    3
    >>> find_in_sorted([11, 14, 19, 23], 12)
    -1
"""
