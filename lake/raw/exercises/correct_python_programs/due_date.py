from datetime import date, timedelta


def due_date(start, workdays, holidays=()):
    """Return the date, written as 2024-05-31, that many workdays after start,
    where Saturdays, Sundays and holidays are no workdays.
    """
    day = date.fromisoformat(start)
    step = timedelta(days=1 if workdays > 0 else -1)
    left = abs(workdays)
    while left > 0:
        day += step
        if day.weekday() < 5 and day.isoformat() not in holidays:
            left -= 1
    return day.isoformat()
