from collections import deque


def barber_chairs(arrivals, cut, chairs):
    """Return the arrival times, given in order, of the customers who go away
    since all chairs for waiting are taken; one barber cuts everybody else's
    hair in order, in cut minutes, and is ready for the next at the end."""
    ends = deque()
    lost = []
    for time in arrivals:
        while ends and ends[0] <= time:
            ends.popleft()
        if len(ends) > chairs:
            lost.append(time)
        else:
            start = ends[-1] if ends else time
            ends.append(start + cut)
    return lost
