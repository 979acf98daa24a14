def chart_alarm(values, centre, limit, run):
    """Return [index, "limit"] for the first value more than limit away from
    the centre, or [index, "run"] for the first that ends run values in a row
    on the same side of it, whichever comes first (the limit at the same
    value), or None if all is well. Values at the centre are on no side."""
    side = 0
    streak = 0
    for index, value in enumerate(values):
        if abs(value - centre) > limit:
            return [index, "limit"]
        before = side
        side = (value > centre) - (value < centre)
        if side != before:
            streak = 0
        streak += abs(side)
        if streak == run:
            return [index, "run"]
    return None
