def undo_caps_lock(text):
    """Repair words typed while caps lock was on by exchanging small letters
    and capitals in them. Words lie between single spaces; one of two or more
    characters needs repair if the first is a small letter and the rest has
    capitals but no small letters, and a shorter one if the last longer word
    before it does.
    """
    repaired = []
    locked = False
    for word in text.split(" "):
        if len(word) > 1:
            locked = word[0].islower() and word[1:].isupper()
        repaired.append(word.swapcase() if locked else word)
    return " ".join(repaired)
