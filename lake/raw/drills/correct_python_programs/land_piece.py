def land_piece(heights, shape, column):
    """Return the heights of the columns after a piece was dropped straight
    down, its left edge in the given column, until some part of it rests on a
    column, or None if it would stick out at a side. The shape is rows of text
    with "#" for its parts, at least one in every row and column.
    """
    parts = ["".join(cells) for cells in zip(*shape)]
    if column < 0 or column + len(parts) > len(heights):
        return None
    base = 0
    for offset, cells in enumerate(parts):
        gap = len(cells) - 1 - cells.rindex("#")
        base = max(base, heights[column + offset] - gap)
    landed = list(heights)
    for offset, cells in enumerate(parts):
        landed[column + offset] = base + len(cells) - cells.index("#")
    return landed
