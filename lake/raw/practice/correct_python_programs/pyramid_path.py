def pyramid_path(rows):
    """List the numbers on the way down a pyramid with the greatest sum.

    From a place the way goes on to the same or the next higher index in
    the row below; if both are equally good, to the same index.
    """
    best = [[]] * (len(rows) + 1)
    for row in reversed(rows):
        current = []
        for place, value in enumerate(row):
            left = best[place]
            right = best[place + 1]
            tail = right if sum(right) > sum(left) else left
            current.append([value] + tail)
        best = current
    return best[0]
