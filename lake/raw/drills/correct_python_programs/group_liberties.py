def group_liberties(board, row, column):
    """Return how many different empty points "." lie beside (not diagonally)
    the stones that hang together with the stone at a point of a Go board and
    have its colour; None if there is no stone at that point.
    """
    colour = board[row][column]
    if colour == ".":
        return None
    group, liberties = [(row, column)], set()
    for y, x in group:
        for near_y, near_x in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= near_y < len(board) and 0 <= near_x < len(board[near_y]):
                near = (near_y, near_x)
                if board[near_y][near_x] == ".":
                    liberties.add(near)
                elif board[near_y][near_x] == colour and near not in group:
                    group.append(near)
    return len(liberties)
