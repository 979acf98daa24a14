def sound_code(name):
    """Return the Soundex code of a name: its capital first letter and the
    digits of three further sounds, filled up with zeros. Equal digits in a
    row count once, also across h and w, but not across vowels."""
    groups = ["bfpv", "cgjkqsxz", "dt", "l", "mn", "r"]
    digits = {c: str(n) for n, group in enumerate(groups, 1) for c in group}
    name = name.lower()
    code = name[0].upper()
    last = digits.get(name[0])
    for letter in name[1:]:
        digit = digits.get(letter)
        if digit and digit != last:
            code += digit
        if letter not in "hw":
            last = digit
    return code[:4].ljust(4, "0")
