def fewest_weights(weights, load):
    """Return the fewest of the given weights that balance a load on a pair
    of scales, where a weight may lie on the other pan or beside the load; 0
    for no load, and None if no choice of weights balances it.
    """
    if load == 0:
        return 0
    if not weights:
        return None
    first, rest = weights[0], weights[1:]
    counts = []
    for change, used in ((0, 0), (first, 1), (-first, 1)):
        more = fewest_weights(rest, load + change)
        if more is not None:
            counts.append(more + used)
    return min(counts, default=None)
