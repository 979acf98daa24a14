def straighten_route(points):
    """Return a route of points [x, y] without those at which it neither turns
    nor goes back, and without those that repeat the one before.
    """
    kept = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2:]
            right, up = point[0] - bx, point[1] - by
            turn = (bx - ax) * up - (by - ay) * right
            ahead = (bx - ax) * right + (by - ay) * up
            if turn == 0 and ahead > 0:
                kept.pop()
        kept.append(point)
    return kept
