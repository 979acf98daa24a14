def steady_levels(readings, low, high, hold):
    """Return the level after each reading: it starts at 0, goes to 1 once hold
    readings in a row are above high, and back to 0 once hold readings in a row
    are below low."""
    level = 0
    streak = 0
    levels = []
    for reading in readings:
        leaving = reading > high if level == 0 else reading < low
        streak = streak + 1 if leaving else 0
        if streak == hold:
            level = 1 - level
            streak = 0
        levels.append(level)
    return levels
