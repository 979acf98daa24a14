def busiest_moment(visits):
    """Return [time, guests] of the first moment with the most guests present;
    a guest with visit [start, end] has left at end.
    """
    changes = []
    for start, end in visits:
        if start < end:
            changes.append((start, 1))
            changes.append((end, -1))
    best = [None, 0]
    present = 0
    for time, change in sorted(changes):
        present += change
        if present > best[1]:
            best = [time, present]
    return best
