def meeting_hour(offsets, opens, closes):
    """Return [hour, offsets left out] for the full hour 0 to 23 UTC at which
    most offices are open, the earliest of equals; offices are offset hours
    ahead of UTC, and open from opens to before closes in their own time."""
    best, left_out = None, []
    for hour in range(24):
        asleep = []
        for offset in offsets:
            local = (hour + offset) % 24
            if local < opens or local >= closes:
                asleep.append(offset)
        if best is None or len(asleep) < len(left_out):
            best, left_out = hour, asleep
    return [best, left_out]
