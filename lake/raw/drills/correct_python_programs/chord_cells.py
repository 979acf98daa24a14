def chord_cells(board, row, column):
    """Return the cells [row, column] that a click with both buttons opens on
    a minesweeper board: if the clicked cell is a digit and exactly that many
    of its up to eight neighbours are flags "F", all its covered neighbours
    "#", line by line from the left; otherwise none.
    """
    if not board[row][column].isdigit():
        return []
    flags, covered = 0, []
    for y in range(max(row - 1, 0), min(row + 2, len(board))):
        for x in range(max(column - 1, 0), min(column + 2, len(board[y]))):
            if board[y][x] == "F":
                flags += 1
            elif board[y][x] == "#":
                covered.append([y, x])
    return covered if flags == int(board[row][column]) else []
