from calendar import monthrange


def nth_weekday(year, month, weekday, n):
    """Return the day of the month of its n-th weekday (Monday is 0), counted
    from the end if n is negative, or None if there is no such day."""
    start, length = monthrange(year, month)
    first = 1 + (weekday - start) % 7
    days = range(first, length + 1, 7)
    if 1 <= n <= len(days):
        return days[n - 1]
    if -len(days) <= n < 0:
        return days[n]
    return None
