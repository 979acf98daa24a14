def dot_leaders(entries, width):
    """Return the lines of a table of contents for entries [title, page]:
    title, space, dots, space and page, as many dots as fill the width. A
    title that leaves fewer than three dots is cut to leave three; one
    without a page (None) stands alone, whole and in capitals.
    """
    lines = []
    for title, page in entries:
        if page is None:
            lines.append(title.upper())
            continue
        room = width - len(str(page)) - 2
        title = title[:room - 3]
        dots = "." * (room - len(title))
        lines.append(f"{title} {dots} {page}")
    return lines
