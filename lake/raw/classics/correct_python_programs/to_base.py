import string


def to_base(num, b):
    symbols = string.digits + string.ascii_uppercase
    digits = []
    while num > 0:
        digits.append(symbols[num % b])
        num //= b
    return ''.join(reversed(digits))
