from math import acos, degrees, hypot


def vector_angle(first, second):
    length = hypot(*first) * hypot(*second)
    if length == 0:
        return None
    dot = first[0] * second[0] + first[1] * second[1]
    cosine = max(-1, min(1, dot / length))
    return round(degrees(acos(cosine)), 3)
