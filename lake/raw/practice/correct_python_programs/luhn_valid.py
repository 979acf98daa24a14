def luhn_valid(text):
    """Return whether the text, spaces ignored, is at least two digits with
    a Luhn sum divisible by ten: from the right, every second digit is
    doubled, and nine is taken off a doubled digit above nine.
    """
    digits = text.replace(" ", "")
    if len(digits) < 2 or not digits.isdigit():
        return False
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char)
        if place % 2 == 1:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0
