def is_prime(number):
    if number < 2:
        return False
    return all(number % d for d in range(2, int(number ** 0.5) + 1))


def twin_primes(low, high):
    """Return, in rising order, all pairs [p, p + 2] of primes with both
    members in the range from low to high inclusive.
    """
    pairs = []
    for first in range(low, high - 1):
        if is_prime(first) and is_prime(first + 2):
            pairs.append([first, first + 2])
    return pairs
