def darts_left(score, visits):
    """Return what is left of a score after the visits, lists of darts
    [number, factor] that take off their product. Exactly 0 by a dart with
    factor 2 wins at once; any other dart that leaves less than 2 ends the
    visit and makes it worth nothing.
    """
    for visit in visits:
        left = score
        for number, factor in visit:
            left -= number * factor
            if left == 0 and factor == 2:
                return 0
            if left < 2:
                left = score
                break
        score = left
    return score
