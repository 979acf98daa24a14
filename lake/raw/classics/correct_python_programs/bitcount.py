def bitcount(n):
    ones = 0
    while n > 0:
        n, bit = divmod(n, 2)
        ones += bit
    return ones
