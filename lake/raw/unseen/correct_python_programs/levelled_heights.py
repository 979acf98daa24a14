def levelled_heights(height, sights):
    """Return the heights of the new points of a survey with a level in a row
    of sights [kind, reading]. "back" reads the staff on the latest "fore"
    point, at first one of the given height, which tells how high the level
    is; "mid" and "fore" read it on new points, which are so much lower.
    """
    heights = []
    level = None
    for kind, reading in sights:
        if kind == "back":
            level = height + reading
            continue
        heights.append(level - reading)
        if kind == "fore":
            height = heights[-1]
    return heights
