def stableford_points(strokes, holes, handicap):
    """Return the points of a golf round over holes [par, rank], ranks from 1.
    On each hole a player has one free stroke for each time the number of
    holes goes into the handicap, and one more if the rank is within the
    remainder. Par plus free strokes brings 2 points, each stroke fewer 1
    more, each extra one 1 less, but never below 0; a hole given up (None
    strokes) brings 0.
    """
    everywhere, rest = divmod(handicap, len(holes))
    points = 0
    for taken, (par, rank) in zip(strokes, holes):
        if taken is None:
            continue
        free = everywhere + 1 if rank <= rest else everywhere
        points += max(0, par + free + 2 - taken)
    return points
