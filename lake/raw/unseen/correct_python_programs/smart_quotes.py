def smart_quotes(text):
    """Return a text with its straight double and single quotes made curly:
    opening ones where the text begins and after a space, a round bracket that
    opens or another opening quote, and closing ones elsewhere.
    """
    pairs = {'"': "\u201c\u201d", "'": "\u2018\u2019"}
    begins = ("", " ", "(", "\u201c", "\u2018")
    curly = ""
    for letter in text:
        if letter in pairs:
            opening, closing = pairs[letter]
            letter = opening if curly[-1:] in begins else closing
        curly += letter
    return curly
