def as_clock(moment):
    return f"{moment // 60:02d}:{moment % 60:02d}"


def alarm_times(wake, gap, count):
    """Return count clock times HH:MM in the order in which they ring, each
    gap minutes after the one before and the last at wake."""
    hours, minutes = wake.split(":")
    last = int(hours) * 60 + int(minutes)
    times = []
    for back in range(count - 1, -1, -1):
        moment = (last - back * gap) % (24 * 60)
        times.append(as_clock(moment))
    return times
