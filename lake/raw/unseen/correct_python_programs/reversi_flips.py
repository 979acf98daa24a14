def reversi_flips(board, row, col, disc):
    """Return, by rows and then columns, the cells [row, column] whose discs
    turn when a disc, X or O, is put on a free cell: in each of the eight
    directions all others in a line from there to the first own one.
    """
    flips = []
    steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
    for down, right in steps:
        line = []
        r, c = row + down, col + right
        while 0 <= r < len(board) and 0 <= c < len(board[r]):
            if board[r][c] == ".":
                break
            if board[r][c] == disc:
                flips += line
                break
            line.append([r, c])
            r, c = r + down, c + right
    return sorted(flips)
