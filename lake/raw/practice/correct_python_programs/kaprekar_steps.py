def kaprekar_steps(number):
    """Return how often the digits of a number, padded to four, must be sorted
    down and up and subtracted to reach 6174, or -1 when the number is not in
    0 to 9999 or has four equal digits.
    """
    if not 0 <= number <= 9999 or number % 1111 == 0:
        return -1
    steps = 0
    while number != 6174:
        rising = "".join(sorted(str(number).zfill(4)))
        number = int(rising[::-1]) - int(rising)
        steps += 1
    return steps
