def sieve(max):
    is_prime = [True] * (max + 1)
    primes = []
    for n in range(2, max + 1):
        if is_prime[n]:
            primes.append(n)
            for multiple in range(n * n, max + 1, n):
                is_prime[multiple] = True
    return primes


"""
Prime numbers by striking out multiples

Input:
    max: an int, at least 1

Output:
    An ascending list of all prime numbers that are not larger than max

Examples:
    >>> sieve(12)
    [2, 3, 5, 7, 11]
    >>> sieve(5)
    [2, 3, 5]
"""
