import math


def stair_height(total, highest):
    """Return [steps, height of a step] of a stair of equal steps, as few as
    possible, none higher than highest; the height to one digit.
    """
    if total <= 0:
        return [0, 0.0]
    steps = math.ceil(total / highest)
    return [steps, round(total / steps, 1)]
