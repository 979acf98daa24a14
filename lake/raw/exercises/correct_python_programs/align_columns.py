def is_number(cell):
    return cell.lstrip("-").replace(".", "", 1).isdigit()


def align_columns(rows, gap=1):
    """Lay out rows of texts in columns with gap spaces between them, numbers
    to the right and other cells to the left, without spaces at line ends.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = []
        for cell, width in zip(row, widths):
            if is_number(cell):
                cells.append(cell.rjust(width))
            else:
                cells.append(cell.ljust(width))
        lines.append((" " * gap).join(cells).rstrip())
    return lines
