def played_bars(bars):
    """Return the names of bars [name, marks] in the order played. A bar
    marked ")" is followed once more by all from the last bar marked "(" on,
    or without one since the last repeat, from the bar after that one or the
    very first, and in this second turn bars marked "1" are left out.
    """
    played = []
    start = index = 0
    again = False
    while index < len(bars):
        name, marks = bars[index]
        if "(" in marks:
            start = index
        if not (again and "1" in marks):
            played.append(name)
        if ")" in marks and not again:
            again = True
            index = start
            continue
        if ")" in marks:
            again = False
            start = index + 1
        index += 1
    return played
