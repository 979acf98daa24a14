def career_pension(years, divisor, ceiling):
    """Return the yearly pension earned in years [salary, rise in percent].
    Each first raises the pension so far by its percentage, unless negative,
    and then adds the salary, but not more than the ceiling, divided by the
    divisor, both rounded down.
    """
    pension = 0
    for salary, rise in years:
        if rise > 0:
            pension += pension * rise // 100
        pension += min(salary, ceiling) // divisor
    return pension
