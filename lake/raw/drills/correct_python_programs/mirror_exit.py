def mirror_exit(grid, row):
    """Follow a beam that enters a grid at the left end of a row, going right,
    and is turned by the mirrors "/" and "\\" but passes all else except "#",
    which swallows it. Return [row, column, mirrors met] with the first place
    outside of the grid (row or column -1 at the top or left), or None if it
    is swallowed.
    """
    y, x, down, right, bounces = row, 0, 0, 1, 0
    while 0 <= y < len(grid) and 0 <= x < len(grid[y]):
        if grid[y][x] == "#":
            return None
        if grid[y][x] == "/":
            down, right = -right, -down
            bounces += 1
        elif grid[y][x] == "\\":
            down, right = right, down
            bounces += 1
        y, x = y + down, x + right
    return [y, x, bounces]
