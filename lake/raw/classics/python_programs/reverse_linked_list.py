def reverse_linked_list(node):
    result = None
    while node is not None:
        value, node = node
        result = [value, node]
    return result


"""
Turn a linked list around

A linked list is written as nested pairs: [value, rest], where rest is
again such a pair, or None after the last value.

Input:
    node: the first pair of a linked list, or None for the empty list

Output:
    The first pair of a linked list with the same values, last one first

Examples:
    >>> reverse_linked_list([1, [2, [3, None]]])
    [3, [2, [1, None]]]
    >>> reverse_linked_list([4, None])
    [4, None]
"""
