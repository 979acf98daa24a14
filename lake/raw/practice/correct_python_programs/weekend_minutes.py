from datetime import datetime


def weekend_minutes(stamps):
    """Return the minutes between pairs of stamps, begin and end of a session
    on one day as YYYY-MM-DDTHH:MM, for those that begin at a weekend.
    """
    minutes = 0
    for begin, end in stamps:
        first = datetime.fromisoformat(begin)
        length = datetime.fromisoformat(end) - first
        if first.weekday() >= 5:
            minutes += int(length.total_seconds()) // 60
    return minutes
