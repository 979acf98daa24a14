import math


def ring_area(outer, inner):
    """Return the area between two circles of the same centre, to two digits;
    0.0 where the inner one is not smaller.
    """
    if inner >= outer:
        return 0.0
    whole = math.pi * outer ** 2
    hole = math.pi * inner ** 2
    return round(whole - hole, 2)
