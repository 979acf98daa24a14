def route_hop(routes, address):
    """Return the hop of the route [prefix, hop, metric] that a packet takes:
    the one with the longest prefix with which the address begins, of equally
    long ones the one with the lowest metric, and then the first; None if the
    address begins with no prefix.
    """
    best = None
    for prefix, hop, metric in routes:
        if not address.startswith(prefix):
            continue
        rank = (-len(prefix), metric)
        if best is None or rank < best[0]:
            best = rank, hop
    return best[1] if best else None
