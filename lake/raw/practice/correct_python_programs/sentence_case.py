def sentence_case(text):
    """Return the text in lower case with a capital for the first letter of
    each sentence; a full stop, "!" or "?" ends a sentence."""
    result = []
    starting = True
    for char in text.lower():
        if starting and char.isalpha():
            result.append(char.upper())
            starting = False
        else:
            result.append(char)
            if char in ".!?":
                starting = True
    return "".join(result)
