def current_records(log):
    """Replay a log of rows [time, name, value], given in any order, and
    return a dict, sorted by name, of the value each name has at the end: of
    rows with equal time the later one in the log counts, and a value of None
    deletes the name.
    """
    latest = {}
    for time, name, value in log:
        if name not in latest or time >= latest[name][0]:
            latest[name] = [time, value]
    result = {}
    for name in sorted(latest):
        value = latest[name][1]
        if value is not None:
            result[name] = value
    return result
