def minutes(clock):
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def night_minutes(start, end, dusk="22:00", dawn="06:00"):
    """Count the minutes of a shift that lie between dusk and dawn; a shift
    that ends no later than it starts ends on the next day.
    """
    first, last = minutes(start), minutes(end)
    if last <= first:
        last += 24 * 60
    total = 0
    for day in (-1, 0, 1):
        night_start = minutes(dusk) + day * 24 * 60
        night_end = minutes(dawn) + (day + 1) * 24 * 60
        shared = min(last, night_end) - max(first, night_start)
        total += max(0, shared)
    return total
