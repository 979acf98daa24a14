def bucketsort(arr, k):
    tally = [0] * k
    for number in arr:
        tally[number] = 1
    ordered = list(arr)
    position = 0
    for number in range(k):
        for _ in range(tally[number]):
            ordered[position] = number
            position += 1
    return ordered


"""
Sorting small numbers by tallying them

Input:
    arr: a list of ints, each at least 0 and below k
    k: an int, one more than the largest number allowed in arr

Output:
    A new list with the numbers of arr in ascending order, repeated
    numbers included

Examples:
    >>> bucketsort([2, 0, 2, 1], 3)
    [0, 1, 2, 2]
    >>> bucketsort([4, 3], 5)
    [3, 4]
"""
