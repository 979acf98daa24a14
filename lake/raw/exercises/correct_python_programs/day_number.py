MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def day_number(year, month, day):
    """Return which day of its year a date is, from 1 on, or None if there is
    no such date.
    """
    lengths = list(MONTHS)
    if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
        lengths[1] += 1
    if not 1 <= month <= 12:
        return None
    if not 1 <= day <= lengths[month - 1]:
        return None
    return sum(lengths[:month - 1]) + day
