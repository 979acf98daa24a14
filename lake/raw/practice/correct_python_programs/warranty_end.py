from datetime import date, timedelta


def warranty_end(bought, days):
    """Return the last day of a warranty of so many days that begins on the
    day after a purchase, both as YYYY-MM-DD.
    """
    start = date.fromisoformat(bought) + timedelta(days=1)
    end = start + timedelta(days=max(days, 1) - 1)
    return end.isoformat()
