from html import escape


def escape_rows(rows):
    """Return rows of cells as lines of an HTML table, what is special in a
    cell escaped; the first row has headings.
    """
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    return lines
