def blossom_day(days, base, cap, need):
    """Return the first day, from 1 on, on which the warmth so far reaches
    need, or None if it never does; the warmth of a day [low, high] is half
    the sum of both less base, where each is first raised to base if it is
    below that and lowered to cap if it is above that.
    """
    warmth = 0
    for number, extremes in enumerate(days, 1):
        low, high = (min(cap, max(base, value)) for value in extremes)
        warmth += (low + high) / 2 - base
        if warmth >= need:
            return number
    return None
