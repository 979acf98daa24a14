def telegram_words(text, least):
    """Return the number of words charged for a telegram: one for every
    started 10 characters of a word, but for every started 5 of a word of
    digits only, and none for the word STOP. At least the given number is
    charged, unless the text has no word at all, which costs 0.
    """
    words = text.split()
    if not words:
        return 0
    charged = 0
    for word in words:
        if word != "STOP":
            full, rest = divmod(len(word), 5 if word.isdigit() else 10)
            charged += full + (rest > 0)
    return max(charged, least)
