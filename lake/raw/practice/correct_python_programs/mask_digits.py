def mask_digits(text, keep):
    """Replace every digit of the text by a star, except the last keep digits;
    all other characters stay as they are."""
    shown = 0
    result = ""
    for char in reversed(text):
        if not char.isdigit():
            result = char + result
        elif shown < keep:
            result = char + result
            shown += 1
        else:
            result = "*" + result
    return result
