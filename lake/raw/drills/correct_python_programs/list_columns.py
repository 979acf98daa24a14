def list_columns(names, columns):
    """Set names in as few lines as the number of columns allows and return
    the lines, without spaces at their ends. The names run down each column,
    filling it before the next; each column is as wide as its longest name
    plus two spaces.
    """
    if not names:
        return []
    height = (len(names) + columns - 1) // columns
    lines = [""] * height
    for start in range(0, len(names), height):
        column = names[start:start + height]
        width = max(len(name) for name in column) + 2
        for row, name in enumerate(column):
            lines[row] += name.ljust(width)
    return [line.rstrip() for line in lines]
