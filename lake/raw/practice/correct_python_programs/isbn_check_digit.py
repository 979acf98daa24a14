def isbn_check_digit(body):
    """Return the check character (a text) that completes an ISBN-10 body of
    nine digits or an ISBN-13 body of twelve, hyphens ignored, and an empty
    text for a body of any other length.
    """
    digits = [int(char) for char in body if char != "-"]
    if len(digits) == 9:
        total = sum((10 - i) * digit for i, digit in enumerate(digits))
        check = (11 - total % 11) % 11
        return "X" if check == 10 else str(check)
    if len(digits) == 12:
        total = sum(digits[::2]) + 3 * sum(digits[1::2])
        return str((10 - total % 10) % 10)
    return ""
