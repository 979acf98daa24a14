def powerset(arr):
    subsets = []
    for mask in range(2 * len(arr)):
        subset = [x for i, x in enumerate(arr) if mask >> i & 1]
        subsets.append(subset)
    return subsets


"""
All subsets of a list

Input:
    arr: a list of distinct elements, possibly empty

Output:
    A list of all subsets, each a list in the order of arr, from the empty
    one to arr itself. The bits of a subset's position in the result tell
    which elements are in it, the lowest bit standing for arr[0].

Examples:
    >>> powerset([7, 8])
    [[], [7], [8], [7, 8]]
    >>> len(powerset(['r', 'g', 'b']))
    8
"""
