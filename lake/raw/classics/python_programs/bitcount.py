def bitcount(n):
    ones = 0
    while n > 0:
        n, bit = divmod(n, 2)
        ones += 1
    return ones


"""
Population count

Counts how many binary digits of a number are set.

Input:
    n: an int that is zero or positive

Output:
    An int: how often the digit 1 stands in the binary form of n

Examples:
    >>> bitcount(6)
    2
    >>> bitcount(21)
    3
"""
