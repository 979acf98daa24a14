import re


def clue_lengths(answer):
    """Return what is printed behind a crossword clue, such as "(3-5,3)" for
    "ice-cream van": how many letters and digits each part of the answer has,
    with a comma for every space and a dash for every dash between parts.
    Other characters do not count.
    """
    parts = re.split("([ -])", answer)
    for index, part in enumerate(parts):
        if part == " ":
            parts[index] = ","
        elif part != "-":
            parts[index] = str(sum(symbol.isalnum() for symbol in part))
    return "(" + "".join(parts) + ")"
