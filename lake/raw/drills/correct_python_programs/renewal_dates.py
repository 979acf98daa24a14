from calendar import monthrange


def renewal_dates(start, count):
    """Return the next count monthly renewals, as 2024-05-31, of a contract
    that began at start: the same day of each later month, or the last day of
    a month that is too short."""
    year, month, day = [int(part) for part in start.split("-")]
    dates = []
    while len(dates) < count:
        month += 1
        if month == 13:
            year, month = year + 1, 1
        _, length = monthrange(year, month)
        dates.append(f"{year}-{month:02d}-{min(day, length):02d}")
    return dates
