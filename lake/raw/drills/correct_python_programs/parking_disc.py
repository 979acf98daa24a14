def parking_disc(arrival, allowed, opens, closes):
    """Return the time HH:MM by which a parked car must go, None if it may
    stay overnight; the times given are minutes since midnight. The allowed
    minutes run from the first full or half hour at or after the arrival, but
    not before opens; a car may stay overnight if they end at closes or later.
    """
    halves, rest = divmod(arrival, 30)
    if rest > 0:
        halves += 1
    until = max(halves * 30, opens) + allowed
    if until >= closes:
        return None
    return f"{until // 60:02d}:{until % 60:02d}"
