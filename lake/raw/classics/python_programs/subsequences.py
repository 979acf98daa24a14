def subsequences(a, b, k):
    if k == 0:
        return [[]]
    if a >= b:
        return []
    taken = [[a] + tail for tail in subsequences(a, b, k - 1)]
    skipped = subsequences(a + 1, b, k)
    return taken + skipped


"""
All ways to choose k numbers from a range

Input:
    a: an int, the smallest number that may be chosen
    b: an int, one more than the largest number that may be chosen
    k: an int, how many different numbers to choose, zero or more

Output:
    A list of lists: every choice once, its numbers in ascending order,
    the choices in lexicographic order

Examples:
    >>> subsequences(2, 5, 2)
    [[2, 3], [2, 4], [3, 4]]
    >>> subsequences(1, 3, 4)
    []
"""
