def gcd(a, b):
    if a == 0:
        return b
    while b:
        if a > b:
            a -= b
        else:
            b -= a
    return a
