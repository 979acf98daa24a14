def current_streak(days, today):
    """Return how many days in a row, given by numbers in any order, were
    active up to today, or up to yesterday if today is not active (yet)."""
    active = set(days)
    day = today
    if day not in active:
        day -= 1
    streak = 0
    while day in active:
        streak += 1
        day -= 1
    return streak
