import string


def swap_alphabet(text):
    """Return a text with the letters of the alphabet mirrored, a for z and z
    for a, in upper and lower case; all else stays.
    """
    lower = string.ascii_lowercase
    upper = string.ascii_uppercase
    table = str.maketrans(lower + upper, lower[::-1] + upper[::-1])
    return text.translate(table)
