import calendar


def month_lengths(year, first, last):
    """Return the days of the months from first to last of a year, both
    counted in, as ["January 31", ...].
    """
    lengths = []
    for month in range(first, last + 1):
        _, days = calendar.monthrange(year, month)
        lengths.append(f"{calendar.month_name[month]} {days}")
    return lengths
