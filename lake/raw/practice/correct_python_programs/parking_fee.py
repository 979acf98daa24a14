def parking_fee(minutes, free, rate, day_max):
    """Return the fee for parking: nothing for up to free minutes, otherwise
    day_max for each full day of 24 hours and rate for each started hour of
    the rest, but no more than day_max for that rest."""
    if minutes <= free:
        return 0
    days, rest = divmod(minutes, 24 * 60)
    hours = rest // 60
    if rest % 60 > 0:
        hours += 1
    return days * day_max + min(hours * rate, day_max)
