def snake_cells(size, food, moves):
    """Return the cells of a snake, tail first, after the moves U, D, L and R
    on a square board. It starts as [[0, 0]] (row and column), becomes longer
    by one with each cell of food, which is eaten up, and otherwise draws its
    tail in first; the game ends before a move off the board or into itself.
    """
    steps = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
    left, snake = list(food), [[0, 0]]
    for move in moves:
        down, right = steps[move]
        head = [snake[-1][0] + down, snake[-1][1] + right]
        body = snake if head in left else snake[1:]
        if head in body or min(head) < 0 or max(head) >= size:
            break
        if head in left:
            left.remove(head)
        snake = body + [head]
    return snake
