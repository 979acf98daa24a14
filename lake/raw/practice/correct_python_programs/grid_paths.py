def grid_paths(rows, row=0, col=0):
    """Return the number of ways from (row, col) to the bottom right cell by
    steps right or down, and from a "+" also diagonally right down, without
    entering a "#"."""
    if row >= len(rows) or col >= len(rows[row]) or rows[row][col] == "#":
        return 0
    if row == len(rows) - 1 and col == len(rows[row]) - 1:
        return 1
    ways = grid_paths(rows, row + 1, col) + grid_paths(rows, row, col + 1)
    if rows[row][col] == "+":
        ways += grid_paths(rows, row + 1, col + 1)
    return ways
