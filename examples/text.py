import re

WORD = re.compile(r"\w+")


def longest(text):
    """Return the longest word of a text, the first of several."""
    best = ""
    for word in WORD.findall(text):
        if len(word) >= len(best):
            best = word
    return best
