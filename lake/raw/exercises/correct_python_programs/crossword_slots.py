def crossword_slots(grid):
    """Return [number, direction, length] of the words of a crossword, whose
    black cells are #, numbered by start row by row, across before down.
    """
    def free(row, column):
        inside = 0 <= row < len(grid) and 0 <= column < len(grid[0])
        return inside and grid[row][column] != "#"

    slots = []
    number = 1
    for row, line in enumerate(grid):
        for column in range(len(line)):
            found = []
            for name, down, right in (("across", 0, 1), ("down", 1, 0)):
                length = 0
                if not free(row - down, column - right):
                    while free(row + length * down, column + length * right):
                        length += 1
                if length > 1:
                    found.append([number, name, length])
            slots += found
            number += bool(found)
    return slots
