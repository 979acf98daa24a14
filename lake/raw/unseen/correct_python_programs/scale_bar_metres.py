def scale_bar_metres(scale, most):
    """Return how many metres the scale bar of a map at 1 to scale stands for:
    the largest of 1, 2, 5, 10, 20, 50, 100 and so on for which it is at most
    that many millimetres long, or None if it would be longer for 1.
    """
    limit = scale * most
    best = None
    unit = 1000
    while unit <= limit:
        for digit in (1, 2, 5):
            if digit * unit <= limit:
                best = digit * unit // 1000
        unit *= 10
    return best
