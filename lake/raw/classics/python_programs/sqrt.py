def sqrt(x, epsilon):
    low, high = 0.0, x
    while high - low > epsilon:
        middle = (low + high) / 2
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low


"""
Square root by halving an interval

Input:
    x: a number, at least 0
    epsilon: a float above 0, the error allowed

Output:
    A float that differs from the square root of x by at most epsilon

Examples:
    >>> round(sqrt(2, 0.0001), 3)
    1.414
    >>> round(sqrt(0.25, 0.0001), 3)
    0.5
"""
