def odd_places(lines):
    return [place for place, line in enumerate(lines) if sum(line) % 2 == 1]


def flipped_cell(grid):
    """Return [row, column], counted from 0, of the one cell to flip so that
    each row and column of the 0-1 grid has an even number of ones; [] if they
    all have, None if no single flip does it."""
    rows = odd_places(grid)
    columns = odd_places(zip(*grid))
    if not rows and not columns:
        return []
    if len(rows) == 1 and len(columns) == 1:
        return [rows[0], columns[0]]
    return None
