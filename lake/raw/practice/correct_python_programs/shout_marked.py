def shout_marked(text):
    """Return the text with each part between two stars put in capitals and
    those stars removed; a last star without a partner stays as it is."""
    start = text.find("*")
    if start < 0:
        return text
    end = text.find("*", start + 1)
    if end < 0:
        return text
    loud = text[start + 1:end].upper()
    return text[:start] + loud + shout_marked(text[end + 1:])
