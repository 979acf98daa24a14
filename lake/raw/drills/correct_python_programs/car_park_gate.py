def car_park_gate(capacity, events):
    """Return the cars [inside, waiting outside], both in order of arrival.

    A car's name among the events means that it comes or, if it is inside or
    waiting, that it goes away. A car gets in while fewer than capacity are
    inside; when one leaves, the first that waits gets in.
    """
    inside, waiting = [], []
    for car in events:
        if car in waiting:
            waiting.remove(car)
            continue
        if car in inside:
            inside.remove(car)
        else:
            waiting.append(car)
        if waiting and len(inside) < capacity:
            inside.append(waiting.pop(0))
    return [inside, waiting]
