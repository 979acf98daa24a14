def wildcard_match(pattern, text):
    """Tell whether the pattern fits the whole text, where "?" stands for any
    one character and "*" for any number of them, also none."""
    if pattern == "":
        return text == ""
    first, rest = pattern[0], pattern[1:]
    if first == "*" and wildcard_match(rest, text):
        return True
    if text == "":
        return False
    if first == "*":
        return wildcard_match(pattern, text[1:])
    return first in ("?", text[0]) and wildcard_match(rest, text[1:])
