def hand_angle(clock):
    """Return the smaller angle in degrees between the two hands of a dial
    clock at a time "H:MM" of the 24-hour day (the hour hand moves steadily),
    or None when there is no such time.
    """
    hour, minute = map(int, clock.split(":"))
    if not (0 <= hour < 24 and 0 <= minute < 60):
        return None
    hour_hand = hour % 12 * 30 + minute / 2
    minute_hand = minute * 6
    angle = abs(hour_hand - minute_hand)
    return min(angle, 360 - angle)
