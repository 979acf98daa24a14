import string


def to_base(num, b):
    symbols = string.digits + string.ascii_uppercase
    if num < b:
        return symbols[num]
    return to_base(num // b, b) + symbols[num % b]
