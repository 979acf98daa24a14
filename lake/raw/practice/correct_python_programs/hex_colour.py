def hex_colour(text):
    """Return the red, green and blue parts (0 to 255) of a colour written
    "#rrggbb" or in short "#rgb", in either case; None if it is neither."""
    if not text.startswith("#"):
        return None
    digits = ["0123456789abcdef".find(char) for char in text[1:].lower()]
    if -1 in digits:
        return None
    if len(digits) == 3:
        return [17 * digit for digit in digits]
    if len(digits) != 6:
        return None
    return [16 * digits[i] + digits[i + 1] for i in range(0, 6, 2)]
