def stream_order(river):
    """Return the order of a river, which is the list of its tributaries, each
    such a list too: 1 without tributaries, else the highest order among them,
    and one more than that if two or more of them have it.
    """
    if not river:
        return 1
    highest, times = 0, 0
    for tributary in river:
        order = stream_order(tributary)
        if order > highest:
            highest, times = order, 1
        elif order == highest:
            times += 1
    return highest + 1 if times >= 2 else highest
