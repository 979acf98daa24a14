LIGATURES = ("ffi", "ffl", "ff", "fi", "fl")


def set_ligatures(word):
    """Return the pieces of type that set a word from its beginning on: a
    ligature, the longest that fits, or else a letter. None reaches over a bar
    "|" between parts of the word, which is not set itself.
    """
    pieces = []
    for part in word.split("|"):
        while part:
            size = 1
            for ligature in LIGATURES:
                if part.startswith(ligature):
                    size = len(ligature)
                    break
            pieces.append(part[:size])
            part = part[size:]
    return pieces
