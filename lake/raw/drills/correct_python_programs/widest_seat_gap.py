def widest_seat_gap(taken, seats):
    """Return [first, length] of the longest run of free seats at a round
    table with seats 0 to seats - 1, where seat 0 follows the last one. Of
    equal runs take that with the lowest first seat. A table nobody sits at
    gives [0, seats], a full one an empty list.
    """
    if not taken:
        return [0, seats]
    places = sorted(taken)
    runs = []
    for index, seat in enumerate(places):
        upcoming = places[(index + 1) % len(places)]
        free = (upcoming - seat - 1) % seats
        if free > 0:
            runs.append([(seat + 1) % seats, free])
    return min(runs, key=lambda run: (-run[1], run[0]), default=[])
