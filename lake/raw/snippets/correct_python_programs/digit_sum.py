def digit_sum(number):
    total = 0
    number = abs(number)
    while number > 0:
        number, digit = divmod(number, 10)
        total += digit
    return total
