def travel_passes(days, single, weekly):
    """Return the lowest price for travelling on all days, rising numbers: a
    single ticket is good for one day, a weekly one for seven days in a row.
    """
    lowest = [0]
    first = 0
    for number, day in enumerate(days):
        while days[first] <= day - 7:
            first += 1
        with_single = lowest[number] + single
        with_weekly = lowest[first] + weekly
        lowest.append(min(with_single, with_weekly))
    return lowest[-1]
