def goal_months(goal, saved, monthly, rise):
    """Return after how many monthly deposits the savings reach goal, or None
    if 120 are not enough; the deposit grows by rise after every twelve."""
    for month in range(120 + 1):
        if saved >= goal:
            return month
        years = month // 12
        saved += monthly + years * rise
    return None
