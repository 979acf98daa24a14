def percent_change(values):
    """Return for each value after the first its change from the value before,
    as a percentage of that value's size rounded to one decimal, with a sign
    ("+12.5%", "-3.0%"), "0%" for no change and "new" for a change from 0.
    """
    changes = []
    for before, after in zip(values, values[1:]):
        if before == after:
            changes.append("0%")
        elif before == 0:
            changes.append("new")
        else:
            share = (after - before) * 100 / abs(before)
            changes.append(f"{share:+.1f}%")
    return changes
