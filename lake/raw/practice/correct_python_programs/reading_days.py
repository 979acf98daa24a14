def reading_days(pages, workday, weekend, start):
    """Return how many days it takes to read so many pages, reading workday
    pages from Monday to Friday and weekend pages on other days, from weekday
    start (Monday is 0) on, or None if that never ends."""
    if pages > 0 and workday == 0 and weekend == 0:
        return None
    days = 0
    while pages > 0:
        if (start + days) % 7 < 5:
            pages -= workday
        else:
            pages -= weekend
        days += 1
    return days
