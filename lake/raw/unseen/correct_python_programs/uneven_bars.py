LENGTHS = {"w": 32, "h": 16, "q": 8, "e": 4, "s": 2}


def uneven_bars(rhythm, quarters):
    """Return the numbers, from 1 on, of the bars of a rhythm such as
    "q. e h | w" that do not last exactly so many quarter notes; w, h, q, e
    and s are a whole note to a sixteenth, and a dot lengthens one by half.
    """
    wrong = []
    for number, bar in enumerate(rhythm.split("|"), 1):
        total = 0
        for note in bar.split():
            length = LENGTHS[note[0]]
            if note.endswith("."):
                length += length // 2
            total += length
        if total != 8 * quarters:
            wrong.append(number)
    return wrong
