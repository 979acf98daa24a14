def premium_word_score(word, premiums, points):
    """Return the score of a word laid on squares, one mark of premiums each:
    "d" doubles and "t" triples the points of its letter, "D" and "T" those of
    the whole word, "." does nothing. Letters without points count 0, and a
    word of seven letters or more gets 50 on top of everything.
    """
    total, factor = 0, 1
    for letter, premium in zip(word, premiums):
        value = points.get(letter, 0)
        if premium in "dt":
            value *= 2 if premium == "d" else 3
        elif premium in "DT":
            factor *= 2 if premium == "D" else 3
        total += value
    bonus = 50 if len(word) >= 7 else 0
    return total * factor + bonus
