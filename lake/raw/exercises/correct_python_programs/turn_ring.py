def turn_ring(grid, steps=1):
    """Return a grid whose outer ring of cells has moved on by steps places
    with the clock (against it if negative), the inner cells unchanged.
    """
    height, width = len(grid), len(grid[0])
    ring = [(0, column) for column in range(width)]
    ring += [(row, width - 1) for row in range(1, height)]
    if height > 1:
        ring += [(height - 1, column) for column in range(width - 2, -1, -1)]
    if width > 1:
        ring += [(row, 0) for row in range(height - 2, 0, -1)]
    turned = [list(row) for row in grid]
    for index, (row, column) in enumerate(ring):
        from_row, from_column = ring[(index - steps) % len(ring)]
        turned[row][column] = grid[from_row][from_column]
    return turned
