def half_drop_repeat(motif, rows, columns):
    """Return rows by columns of a cloth printed with a motif, rows of text
    that repeat to the right and downwards, where every second copy to the
    right is moved down by half the rows of the motif, rounded down.
    """
    height, width = len(motif), len(motif[0])
    cloth = []
    for row in range(rows):
        line = ""
        for column in range(columns):
            copy, inside = divmod(column, width)
            drop = height // 2 if copy % 2 else 0
            line += motif[(row - drop) % height][inside]
        cloth.append(line)
    return cloth
