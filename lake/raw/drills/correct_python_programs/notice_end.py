from datetime import date, timedelta


def notice_end(given, weeks):
    """Return the date, as 2024-05-31, on which a job ends after notice was
    given: the first 15th or last day of a month that is at least so many
    weeks later."""
    end = date.fromisoformat(given) + timedelta(weeks=weeks)
    while end.day != 15:
        tomorrow = end + timedelta(days=1)
        if tomorrow.day == 1:
            break
        end = tomorrow
    return end.isoformat()
