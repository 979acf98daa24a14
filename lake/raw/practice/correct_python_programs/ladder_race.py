def ladder_race(last, jumps, rolls):
    """Return [square, rolls used] of a race from square 0: a roll past the
    last square bounces back, then a square that is a key of jumps leads once
    to its value, and the race ends on the last square."""
    square = 0
    used = 0
    while used < len(rolls) and square != last:
        square += rolls[used]
        used += 1
        if square > last:
            square = last - (square - last)
        if str(square) in jumps:
            square = jumps[str(square)]
    return [square, used]
