def frozen_streak(minutes, goal, every):
    """Return [streak, freezes] after the days with the given minutes of
    practice. A day of at least goal minutes adds 1 to the streak, and each
    time the streak gets to a multiple of every, a freeze is won if fewer
    than 2 are held. Any other day uses up a freeze and keeps the streak;
    without a freeze the streak goes back to 0.
    """
    streak = freezes = 0
    for practised in minutes:
        if practised >= goal:
            streak += 1
            if streak % every == 0:
                freezes = min(freezes + 1, 2)
        elif freezes > 0:
            freezes -= 1
        else:
            streak = 0
    return [streak, freezes]
