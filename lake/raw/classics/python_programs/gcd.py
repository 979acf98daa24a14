def gcd(a, b):
    if a == 0:
        return a
    while b:
        if a > b:
            a -= b
        else:
            b -= a
    return a


"""
Greatest common divisor by repeated subtraction

Input:
    a: an int that is zero or positive
    b: an int that is zero or positive

Output:
    The largest int that divides both a and b without remainder. Zero is
    divisible by every int, so the answer for 0 and n is n.

Examples:
    >>> gcd(18, 12)
    6
    >>> gcd(9, 0)
    9
"""
