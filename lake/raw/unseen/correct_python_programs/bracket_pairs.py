def bracket_pairs(teams):
    """Return the first round of a knockout for seeds 1 to teams, at least
    two, as pairs [lower, higher]: from [1] on, a list of seeds is doubled
    until all have a place, each seed followed by the one with which it makes
    one more than the new length, and then cut into pairs. A seed above teams
    is None.
    """
    order = [1]
    while len(order) < teams:
        total = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, total - one)]
    pairs = []
    for place in range(0, len(order), 2):
        low, high = order[place:place + 2]
        pairs.append([low, high if high <= teams else None])
    return pairs
