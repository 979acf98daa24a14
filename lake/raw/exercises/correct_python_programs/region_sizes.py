def region_sizes(grid, mark="#"):
    """Return the sizes, largest first, of the regions of marked cells in a
    list of texts; cells hang together by their sides, not by corners.
    """
    left = {
        (row, column)
        for row, line in enumerate(grid)
        for column, symbol in enumerate(line)
        if symbol == mark
    }
    sizes = []
    while left:
        todo = [left.pop()]
        size = 0
        while todo:
            row, column = todo.pop()
            size += 1
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                cell = (row + down, column + right)
                if cell in left:
                    left.remove(cell)
                    todo.append(cell)
        sizes.append(size)
    return sorted(sizes, reverse=True)
