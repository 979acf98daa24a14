def expiry_report(goods, today, warning):
    """Return the counts of the goods, rows [name, count, last day], as a dict
    with three sums: "expired" (last day before today), "soon" (last day at
    most warning days after today) and "fresh" (all others).
    """
    report = {"expired": 0, "soon": 0, "fresh": 0}
    for name, count, last_day in goods:
        days_left = last_day - today
        if days_left < 0:
            label = "expired"
        elif days_left <= warning:
            label = "soon"
        else:
            label = "fresh"
        report[label] += count
    return report
