from functools import lru_cache


def grid_routes(width, height, blocked):
    """Return in how many ways a courier goes from the first corner of a grid
    to the last, right or down, around blocked cells [column, row].
    """
    walls = {tuple(cell) for cell in blocked}

    @lru_cache(maxsize=None)
    def ways(column, row):
        if column >= width or row >= height or (column, row) in walls:
            return 0
        if (column, row) == (width - 1, height - 1):
            return 1
        return ways(column + 1, row) + ways(column, row + 1)

    return ways(0, 0)
