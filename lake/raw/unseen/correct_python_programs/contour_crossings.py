def contour_crossings(heights, interval):
    """Return in order the contour lines, multiples of the interval, that a
    walk meets through places of these heights: on each leg the ones between
    its beginning, which does not count, and its end, which does.
    """
    lines = []
    for begin, end in zip(heights, heights[1:]):
        if begin < end:
            first = begin // interval + 1
            lines += range(first * interval, end + 1, interval)
        else:
            first = -(-begin // interval) - 1
            lines += range(first * interval, end - 1, -interval)
    return lines
