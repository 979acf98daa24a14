def zigzag_deltas(numbers):
    """Return the code of each number's difference from the number before it
    (the first from 0), where the differences 0, -1, 1, -2, 2 and so on have
    the codes 0, 1, 2, 3, 4 and so on."""
    codes = []
    previous = 0
    for number in numbers:
        delta = number - previous
        if delta < 0:
            codes.append(-2 * delta - 1)
        else:
            codes.append(2 * delta)
        previous = number
    return codes
