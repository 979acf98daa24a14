def seat_waitlist(requests, seats):
    """Serve requests [name, size] in order: a positive size books that many
    seats if enough are free, else the name joins the waiting list; a size
    of 0 gives back the seats booked under the name, without serving anybody
    who waits. Return [booked dict, waiting list, free seats].
    """
    booked = {}
    waiting = []
    for name, size in requests:
        if size == 0:
            seats += booked.pop(name, 0)
        elif size <= seats:
            booked[name] = booked.get(name, 0) + size
            seats -= size
        elif name not in waiting:
            waiting.append(name)
    return [booked, waiting, seats]
