import string


def to_base(num, b):
    symbols = string.digits + string.ascii_uppercase
    digits = []
    while num > 1:
        digits.append(symbols[num % b])
        num //= b
    return ''.join(reversed(digits))


"""
Write a number in another base

The digits above 9 are the capital letters: A is ten, B is eleven, Z is
thirty-five.

Input:
    num: an int, at least 1
    b: an int, the base, from 2 to 36

Output:
    A str, the digits of num in base b, most significant digit first

Examples:
    >>> to_base(10, 2)
    '1010'
    >>> to_base(255, 16)
    'FF'
"""
