def acks_sent(arrivals, window):
    """Return, after each packet number that arrives, the lowest number from 0
    on that is still missing; a packet whose number is window or more above the
    missing one is thrown away."""
    missing = 0
    held = set()
    acks = []
    for number in arrivals:
        if number - missing < window:
            held.add(number)
        while missing in held:
            missing += 1
        acks.append(missing)
    return acks
