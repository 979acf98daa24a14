from collections import deque


def ping_rounds(delays, window, limit):
    """Return the positions at which the mean of the last window delays is
    above limit; before there are so many, of those that there are.
    """
    recent = deque(maxlen=window)
    alarms = []
    for place, delay in enumerate(delays):
        recent.append(delay)
        if sum(recent) / len(recent) > limit:
            alarms.append(place)
    return alarms
