def next_permutation(perm):
    perm = list(perm)
    i = len(perm) - 2
    while perm[i] > perm[i + 1]:
        i -= 1
    j = i + 1
    while perm[j] < perm[i]:
        j -= 1
    perm[i], perm[j] = perm[j], perm[i]
    return perm[:i + 1] + perm[:i:-1]


"""
The successor of a permutation

All orders of the same numbers are compared as words in a dictionary are.

Input:
    perm: a list of distinct ints that is not in descending order

Output:
    A new list: the same ints in the order that directly follows perm

Examples:
    >>> next_permutation([1, 2, 3])
    [1, 3, 2]
    >>> next_permutation([1, 4, 3, 2])
    [2, 1, 3, 4]
"""
