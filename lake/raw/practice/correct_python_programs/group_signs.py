def group_signs(numbers):
    """Return the numbers with all negative ones first, then the zeros, then
    the positive ones, each group in its original order."""
    result = []
    for wanted in (-1, 0, 1):
        for number in numbers:
            sign = (number > 0) - (number < 0)
            if sign == wanted:
                result.append(number)
    return result
