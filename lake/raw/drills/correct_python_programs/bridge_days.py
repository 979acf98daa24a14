from datetime import date, timedelta


def bridge_days(first, last, holidays):
    """Return the working days from first to last, both included, that lie
    between two free days; Saturdays, Sundays and holidays are free. All are
    written as 2024-05-31."""
    def is_free(day):
        return day.weekday() >= 5 or day.isoformat() in holidays

    step = timedelta(days=1)
    day = date.fromisoformat(first)
    found = []
    while day <= date.fromisoformat(last):
        if is_free(day - step) and is_free(day + step) and not is_free(day):
            found.append(day.isoformat())
        day += step
    return found
