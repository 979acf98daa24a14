def rook_reach(rows, row, col):
    """Return how many squares the rook at (row, col) can move to: dots up to
    the first piece, and that piece's square too if it is lower-case."""
    count = 0
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        r = row + down
        c = col + right
        while 0 <= r < len(rows) and 0 <= c < len(rows[r]):
            if rows[r][c] != ".":
                if rows[r][c].islower():
                    count += 1
                break
            count += 1
            r += down
            c += right
    return count
