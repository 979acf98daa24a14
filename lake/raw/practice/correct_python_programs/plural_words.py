import re


def plural_words(text):
    """Return the words of a text in their plural: s becomes ses at the end,
    a consonant and y become ies, anything else gets an s.
    """
    plurals = []
    for word in re.findall(r"[a-z]+", text.lower()):
        if re.search(r"[^aeiou]y$", word):
            plurals.append(re.sub(r"y$", "ies", word))
        elif word.endswith("s"):
            plurals.append(word + "es")
        else:
            plurals.append(word + "s")
    return plurals
