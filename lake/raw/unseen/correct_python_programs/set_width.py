def set_width(text, widths, kerns, spacing):
    """Return how wide a line of type is without the blanks at its ends: the
    sum of its letters' widths, that of "n" for an unknown letter, and between
    every two neighbours the spacing and what kerns has for the pair, if
    anything.
    """
    text = text.strip(" ")
    total = sum(widths.get(letter, widths["n"]) for letter in text)
    for place in range(len(text) - 1):
        pair = text[place:place + 2]
        total += spacing + kerns.get(pair, 0)
    return total
