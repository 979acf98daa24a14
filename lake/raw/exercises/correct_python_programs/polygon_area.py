def polygon_area(corners):
    """Return the area of a polygon and whether its corners [x, y] run
    "left" (against the clock), "right" or, with no area, "flat".
    """
    doubled = 0
    for (x, y), (next_x, next_y) in zip(corners, corners[1:] + corners[:1]):
        doubled += x * next_y - next_x * y
    if doubled > 0:
        turn = "left"
    elif doubled < 0:
        turn = "right"
    else:
        turn = "flat"
    return [abs(doubled) / 2, turn]
