def overtime_pay(hours, rate):
    """Return the pay, rounded down, for whole hours per day from a Monday on:
    rate per hour, one and a half times for the ninth and tenth hour of a day,
    double for later hours and for all hours on Sundays."""
    halves = 0
    for day, worked in enumerate(hours):
        if day % 7 == 6:
            halves += 4 * worked
        else:
            normal = min(worked, 8)
            late = max(worked - 10, 0)
            halves += 2 * normal + 3 * (worked - normal - late) + 4 * late
    return halves * rate // 2
