STEPS = [-1, 0, 1]


def count_neighbours(grid, row, column):
    count = 0
    for down in STEPS:
        for right in STEPS:
            if down == 0 and right == 0:
                continue
            y = row + down
            x = column + right
            if 0 <= y < len(grid) and 0 <= x < len(grid[0]):
                count += grid[y][x]
    return count
