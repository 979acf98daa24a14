import copy


def restore_board(board, moves):
    """Return the board after moves [row, column, mark], a move onto a taken
    cell taking the whole game back to the start; "." is a free cell.
    """
    start = copy.deepcopy(board)
    current = copy.deepcopy(board)
    for row, column, mark in moves:
        if current[row][column] != ".":
            return start
        current[row][column] = mark
    return current
