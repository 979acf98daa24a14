def lights_out(lights, presses):
    """Return the grid of 0s and 1s after the presses, pairs of row and column,
    each of which switches that light and its up to four side neighbours."""
    grid = [row[:] for row in lights]
    height = len(grid)
    for r, c in presses:
        width = len(grid[r])
        cross = [(r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
        for i, j in cross:
            if 0 <= i < height and 0 <= j < width:
                grid[i][j] = 1 - grid[i][j]
    return grid
