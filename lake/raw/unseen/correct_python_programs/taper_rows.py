def taper_rows(dose, step, gentle, days):
    """Return the rows [dose, first day, last day] of a plan to come off a
    drug, from day 1 on, each of so many days, until the dose would be 0 or
    less. From row to row it falls by a step, or by half a step, rounded up,
    from a dose of at most gentle.
    """
    rows = []
    day = 1
    while dose > 0:
        rows.append([dose, day, day + days - 1])
        day += days
        if dose > gentle:
            dose -= step
        else:
            dose -= (step + 1) // 2
    return rows
