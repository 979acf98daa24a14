def quadrant_azimuth(bearing):
    """Return the degrees, clockwise from north and below 360, of a surveyor's
    bearing: one of the letters N, E, S and W, or, as in "S 30 E", the degrees
    by which it turns from north or south towards east or west.
    """
    parts = bearing.split()
    if len(parts) == 1:
        return "NESW".index(bearing) * 90
    pole, angle, side = parts
    angle = int(angle)
    if pole == "S":
        angle = 180 - angle
    if side == "W":
        angle = (360 - angle) % 360
    return angle
