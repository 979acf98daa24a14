def bag_empty_minute(volume, changes):
    """Return the first full minute at which an infusion bag with volume
    millilitres is empty, or None if it never is. Changes [minute, millilitres
    an hour], by rising minute, say how fast it runs from then on; before the
    first it does not run.
    """
    left = volume * 60
    for index, (minute, rate) in enumerate(changes):
        if rate > 0:
            empty = minute + -(-left // rate)
            later = changes[index + 1:]
            if not later or empty <= later[0][0]:
                return empty
            left -= rate * (later[0][0] - minute)
    return None
