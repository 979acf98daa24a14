def rain_barrel(rain, used, capacity, level=0):
    """Return [level, spilled, missing] in litres after some days of a rain
    barrel with level litres at first. Each day its rain flows in, what is
    above capacity spills, and then the day's use is taken out as far as
    there is water; the rest of the use counts as missing.
    """
    spilled = 0
    missing = 0
    for gain, need in zip(rain, used):
        level += gain
        if level > capacity:
            spilled += level - capacity
            level = capacity
        drawn = min(need, level)
        missing += need - drawn
        level -= drawn
    return [level, spilled, missing]
