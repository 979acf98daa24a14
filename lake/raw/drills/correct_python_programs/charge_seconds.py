def charge_seconds(level, target, phases):
    """Return how many seconds a battery charges from level to target percent.
    The phases [end, pace], with rising ends, say that each percent up to end
    takes pace seconds. Return 0 if the level is at the target or above it
    already, else -1 if the last end is below the target.
    """
    seconds = 0
    for end, pace in phases:
        stop = min(end, target)
        if stop > level:
            seconds += (stop - level) * pace
            level = stop
    return seconds if level >= target else -1
