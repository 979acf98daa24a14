def flatten(arr):
    pending = list(reversed(arr))
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        else:
            yield item


"""
Walk over the leaves of a nested list

Input:
    arr: a list whose elements are lists (nested to any depth, never
        containing themselves) or other objects

Output:
    A generator of all objects that are not lists, from left to right

Examples:
    >>> list(flatten([[1, 2], [[3], 4]]))
    [1, 2, 3, 4]
    >>> list(flatten([]))
    []
"""
