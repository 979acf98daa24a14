def identifier_words(name):
    """Split a snake_case or camelCase name into words in lower case, where a
    run of capitals is a word up to the last one before a small letter.
    """
    words = []
    current = ""
    for before, letter, after in zip("_" + name, name, name[1:] + "_"):
        if letter == "_":
            starts = True
        elif letter.isupper():
            starts = not before.isupper() or after.islower()
        else:
            starts = False
        if starts and current:
            words.append(current.lower())
            current = ""
        if letter != "_":
            current += letter
    if current:
        words.append(current.lower())
    return words
