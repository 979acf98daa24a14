def longest_common_subsequence(a, b):
    row = [''] * (len(b) + 1)
    for x in a:
        above = row
        row = ['']
        for j, y in enumerate(b):
            if x == y:
                row.append(above[j] + x)
            else:
                row.append(max(row[j], above[j + 1]))
    return row[-1]


"""
Longest common subsequence of two strings

A subsequence of a string is what is left after deleting any of its
characters; the others keep their order and need not be neighbours.

Input:
    a: a str
    b: a str

Output:
    The longest str that is a subsequence of both a and b, '' if they
    share no character; any of them where several are equally long

Examples:
    >>> longest_common_subsequence('planet', 'blanket')
    'lanet'
    >>> longest_common_subsequence('dusk', 'dawn')
    'd'
"""
