def free_slots(busy, opens, closes, shortest=1):
    """Return the spans [start, end] between opens and closes in which nothing
    is busy, those whose length is at least the shortest.
    """
    slots = []
    free_from = opens
    for start, end in sorted(busy):
        until = min(start, closes)
        if until - free_from >= shortest:
            slots.append([free_from, until])
        free_from = max(free_from, end)
    if closes - free_from >= shortest:
        slots.append([free_from, closes])
    return slots
