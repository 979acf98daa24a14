from datetime import date, timedelta


def bin_day(monday, weekday, holidays):
    """Return the date, as 2024-05-31, on which bins are emptied in the week
    from monday: weekday days after it, but one day later with a holiday from
    monday to that day, and then put off further while the day is a holiday.
    """
    start = date.fromisoformat(monday)
    day = start + timedelta(days=weekday)
    if any(monday <= holiday <= day.isoformat() for holiday in holidays):
        day += timedelta(days=1)
    while day.isoformat() in holidays:
        day += timedelta(days=1)
    return day.isoformat()
