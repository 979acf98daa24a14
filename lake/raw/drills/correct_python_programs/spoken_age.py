from datetime import date


def spoken_age(birth, today):
    """Return an age such as "1 week", "23 months" or "2 years", rounded down:
    weeks before the first full month, months before the second year is full,
    then years; a month is full on the same day of a later month, or on the
    next day there is."""
    born, now = date.fromisoformat(birth), date.fromisoformat(today)
    months = 12 * (now.year - born.year) + now.month - born.month
    if now.day < born.day:
        months -= 1
    if months < 1:
        count, unit = (now - born).days // 7, "week"
    elif months < 24:
        count, unit = months, "month"
    else:
        count, unit = months // 12, "year"
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
