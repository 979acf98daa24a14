def binary_digits(number):
    if number == 0:
        return "0"
    digits = []
    value = abs(number)
    while value:
        digits.append(str(value % 2))
        value //= 2
    sign = "-" if number < 0 else ""
    return sign + "".join(reversed(digits))
