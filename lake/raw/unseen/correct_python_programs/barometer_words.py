def barometer_words(readings):
    """Return a word for each reading of a barometer in hPa from the fourth
    one on, by its change since the reading three before: "storm" for a fall
    of 6 or more, "worse" for one of 2 or more, "better" for a rise of 2 or
    more, and else "same".
    """
    words = []
    for index in range(3, len(readings)):
        change = readings[index] - readings[index - 3]
        if change <= -6:
            words.append("storm")
        elif change <= -2:
            words.append("worse")
        else:
            words.append("better" if change >= 2 else "same")
    return words
