def wind_shifts(bearings, least):
    """Say of each wind direction in degrees but the first how the wind came
    to it by the shorter way from the one before: "veers" (with the clock,
    also for half a circle), "backs" (against it), or "steady" if it turned
    by less than least degrees, which is 1 or more.
    """
    words = []
    for before, now in zip(bearings, bearings[1:]):
        turn = (now - before) % 360
        if turn > 180:
            turn -= 360
        if abs(turn) < least:
            words.append("steady")
        elif turn > 0:
            words.append("veers")
        else:
            words.append("backs")
    return words
