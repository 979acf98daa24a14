def connect_trains(legs, start, change):
    """Return the earliest arrival after riding one train [departure, arrival]
    of each leg in order, or None if that is impossible; the first may depart
    from start on, each later one from change after the arrival before it."""
    arrival = ready = start
    for trains in legs:
        arrivals = [end for begin, end in trains if begin >= ready]
        if not arrivals:
            return None
        arrival = min(arrivals)
        ready = arrival + change
    return arrival
