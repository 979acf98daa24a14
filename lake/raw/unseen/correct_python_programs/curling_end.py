def curling_end(red, yellow, house):
    """Return [colour, points] of an end at curling from the distances of the
    stones to the middle, of which only those of at most house count, or None
    if none is there or the nearest of both colours are equally far. The
    colour of the nearest stone gets a point for each of its stones that is
    nearer than the nearest one of the other.
    """
    reds = [distance for distance in red if distance <= house]
    yellows = [distance for distance in yellow if distance <= house]
    nearest_red = min(reds, default=house + 1)
    nearest_yellow = min(yellows, default=house + 1)
    if nearest_red < nearest_yellow:
        return ["red", sum(stone < nearest_yellow for stone in reds)]
    if nearest_yellow < nearest_red:
        return ["yellow", sum(stone < nearest_red for stone in yellows)]
    return None
