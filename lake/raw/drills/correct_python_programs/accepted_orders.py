from collections import deque


def accepted_orders(orders, days, quota):
    """Return [accepted, waiting]: how many orders a workshop accepts on each
    day, and how many still wait after the last one. Orders wait from the day
    they come in; each day it accepts as many of those waiting as it can, but
    never more than quota in any days (1 or more) days in a row.
    """
    recent = deque([0] * days)
    accepted = []
    waiting = 0
    for incoming in orders:
        recent.popleft()
        waiting += incoming
        today = min(waiting, quota - sum(recent))
        waiting -= today
        recent.append(today)
        accepted.append(today)
    return [accepted, waiting]
