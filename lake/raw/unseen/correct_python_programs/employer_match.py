def employer_match(months, cap):
    """Return what an employer adds to each month [pay, paid in] of a pension
    plan: all that is paid in up to 3 percent of the pay and half of the rest
    up to 5 percent, every part rounded down, but in all months together not
    more than the cap.
    """
    added = []
    left = cap
    for pay, paid in months:
        full = min(paid, pay * 3 // 100)
        half = min(paid, pay * 5 // 100) - full
        added.append(min(full + half // 2, left))
        left -= added[-1]
    return added
