def cleared_gems(rows):
    """Return the rows of text with a dot for every gem (any letter) that is
    part of three or more equal gems in a line, across or down; all lines are
    found before anything is cleared, and dots stay dots.
    """
    cleared = set()
    for y, row in enumerate(rows):
        for x, gem in enumerate(row):
            across = row[x:x + 3]
            down = "".join(line[x] for line in rows[y:y + 3])
            if across == gem * 3:
                cleared.update((y, x + step) for step in range(3))
            if down == gem * 3:
                cleared.update((y + step, x) for step in range(3))
    return [
        "".join("." if (y, x) in cleared else gem for x, gem in enumerate(row))
        for y, row in enumerate(rows)
    ]
