def group_signs(numbers):
    """Return the numbers with all negative ones first, then the zeros, then
    the positive ones, each group in its original order."""
    result = []
    negatives = 0
    zeros = 0
    for number in numbers:
        if number < 0:
            result.insert(negatives, number)
            negatives += 1
        elif number == 0:
            result.insert(negatives + zeros, number)
            zeros += 1
        else:
            result.append(number)
    return result
