def finnish_ending(stem, ending):
    """Return a Finnish stem with an ending, in which capital A, O and U stand
    for a, o and u if the last part of the stem, as divided by "|", has one of
    these vowels, and else for a and o with dots and y. The bars are not
    written.
    """
    parts = stem.split("|")
    front = True
    for letter in parts[-1]:
        if letter in "aou":
            front = False
    vowels = "\u00e4\u00f6y" if front else "aou"
    for capital, vowel in zip("AOU", vowels):
        ending = ending.replace(capital, vowel)
    return "".join(parts) + ending
