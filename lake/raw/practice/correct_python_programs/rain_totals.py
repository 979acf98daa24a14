from itertools import accumulate


def rain_totals(days, goal):
    """Return the number of the first day, from 1, on which all rain so far
    reaches goal, and the total of that day; [0, total] if it never does.
    """
    totals = list(accumulate(days))
    for number, total in enumerate(totals, start=1):
        if total >= goal:
            return [number, total]
    return [0, totals[-1] if totals else 0]
