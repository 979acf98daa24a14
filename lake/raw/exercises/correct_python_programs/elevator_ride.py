def elevator_ride(floor, calls, going_up=True):
    """Return the stops of an elevator, which goes on in its direction as long
    as there are calls there and then turns, and how many floors it travels.
    """
    waiting = set(calls)
    stops = []
    travelled = 0
    if floor in waiting:
        stops.append(floor)
        waiting.remove(floor)
    while waiting:
        if going_up:
            ahead = [call for call in waiting if call > floor]
        else:
            ahead = [call for call in waiting if call < floor]
        if not ahead:
            going_up = not going_up
            continue
        stop = min(ahead) if going_up else max(ahead)
        travelled += abs(stop - floor)
        floor = stop
        waiting.remove(stop)
        stops.append(stop)
    return [stops, travelled]
