from math import isqrt


def sudoku_options(board, row, col):
    """Return the sorted numbers that may go into the cell of a sudoku board of
    any square size (0 is empty): those not in its row, column or box. A filled
    cell has none."""
    if board[row][col] != 0:
        return []
    size = isqrt(len(board))
    top = row // size * size
    left = col // size * size
    used = set(board[row])
    used.update(line[col] for line in board)
    for line in board[top:top + size]:
        used.update(line[left:left + size])
    return [n for n in range(1, len(board) + 1) if n not in used]
