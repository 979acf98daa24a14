def line_cells(start, end):
    """Return the cells [x, y] of a straight line between two cells, one for
    each step along the longer side, halves rounded towards the start.
    """
    (x, y), (end_x, end_y) = start, end
    width, height = abs(end_x - x), abs(end_y - y)
    step_x = 1 if end_x > x else -1
    step_y = 1 if end_y > y else -1
    longer = max(width, height)
    cells = [[x, y]]
    rest_x = rest_y = 0
    for _ in range(longer):
        rest_x += width
        rest_y += height
        if 2 * rest_x > longer:
            x += step_x
            rest_x -= longer
        if 2 * rest_y > longer:
            y += step_y
            rest_y -= longer
        cells.append([x, y])
    return cells
