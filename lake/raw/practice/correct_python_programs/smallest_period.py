def smallest_period(text):
    """Return the shortest beginning of the text which, written one or more
    times in a row, gives exactly the whole text."""
    length = len(text)
    size = 1
    while size <= length // 2:
        if length % size == 0 and text[size:] == text[:-size]:
            return text[:size]
        size += 1
    return text
