def alarm_periods(readings, high, low):
    """Return the periods [start, end] of an alarm over readings [time, value]
    in order of time: it starts at a reading above high, and ends at the next
    reading below low. An alarm still on at the last reading ends there.
    """
    periods = []
    start = None
    for time, value in readings:
        if start is None and value > high:
            start = time
        elif start is not None and value < low:
            periods.append([start, time])
            start = None
    if start is not None:
        periods.append([start, readings[-1][0]])
    return periods
