def month_page(first, days):
    """Write a month as lines of seven columns, two wide, one space between;
    first is the weekday of day 1, from 0 for Monday on.
    """
    cells = ["  "] * first
    for day in range(1, days + 1):
        cells.append(f"{day:2}")
    lines = ["Mo Tu We Th Fr Sa Su"]
    while cells:
        lines.append(" ".join(cells[:7]))
        cells = cells[7:]
    return lines
