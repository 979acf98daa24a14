from math import cos, radians, sin


def polar_points(steps, radius):
    """Return the points [x, y] of a clock face with so many marks, from the
    top and clockwise, to two digits.
    """
    points = []
    for number in range(steps):
        angle = radians(360 * number / steps)
        right, up = radius * sin(angle), radius * cos(angle)
        points.append([round(right, 2), round(up, 2)])
    return points
