LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]


def four_in_row(moves, height=6):
    """Drop pieces of players X and O by turns into columns and return the
    first player with four in a line, or None; a full column costs the turn.
    """
    board = {}
    fill = {}
    for turn, column in enumerate(moves):
        row = fill.get(column, 0)
        if row == height:
            continue
        player = "XO"[turn % 2]
        fill[column] = row + 1
        board[row, column] = player
        for up, right in LINES:
            count = 1
            for side in (1, -1):
                y, x = row + side * up, column + side * right
                while board.get((y, x)) == player:
                    count += 1
                    y, x = y + side * up, x + side * right
            if count >= 4:
                return player
    return None
