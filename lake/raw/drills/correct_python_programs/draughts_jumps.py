def draughts_jumps(board, row, column):
    """Return the cells [row, column] where the draughts piece at a place of a
    square board can land by jumping diagonally over one enemy next to it onto
    the empty cell "." behind. Men "w" jump only upwards (to lower rows), "b"
    only downwards, kings "W" and "B" both ways; the order is up before down,
    left before right.
    """
    piece = board[row][column]
    enemy = "b" if piece.lower() == "w" else "w"
    landings = []
    for down in {"w": [-1], "b": [1]}.get(piece, [-1, 1]):
        for right in (-1, 1):
            y, x = row + 2 * down, column + 2 * right
            if not (0 <= y < len(board) and 0 <= x < len(board)):
                continue
            jumped = board[row + down][column + right]
            if jumped.lower() == enemy and board[y][x] == ".":
                landings.append([y, x])
    return landings
