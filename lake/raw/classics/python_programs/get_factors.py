def get_factors(n):
    factors = []
    divisor = 2
    while divisor * divisor < n:
        while n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        divisor += 1
    if n > 1:
        factors.append(n)
    return factors


"""
Prime factors of a number

Input:
    n: an int, at least 1

Output:
    The list of the primes whose product is n, in ascending order; a prime
    that divides n several times is listed as often

Examples:
    >>> get_factors(60)
    [2, 2, 3, 5]
    >>> get_factors(49)
    [7, 7]
"""
