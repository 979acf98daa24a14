def hex_neighbours(row, column, height, width):
    """Return the up to six cells [row, column] that touch a cell on a board
    of hexagons, by rows and then columns. Rows and columns count from 0, and
    all rows with odd numbers lie half a cell further right than the others.
    """
    left = column if row % 2 == 1 else column - 1
    near = [(row, column - 1), (row, column + 1)]
    for other in (row - 1, row + 1):
        near += [(other, left), (other, left + 1)]
    return [
        [y, x] for y, x in sorted(near)
        if 0 <= y < height and 0 <= x < width
    ]
