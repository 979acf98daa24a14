def cheapest_stairs(tolls, longest=2):
    """Return [cost, steps] of the cheapest way past the last step, up to
    longest steps at once, where each step trodden on costs its toll; of ways
    that cost the same, take the one from the lowest step before.
    """
    costs = [0]
    origins = [None]
    for place in range(1, len(tolls) + 2):
        lowest = max(0, place - longest)
        before = min(range(lowest, place), key=lambda step: costs[step])
        toll = tolls[place - 1] if place <= len(tolls) else 0
        costs.append(costs[before] + toll)
        origins.append(before)
    steps = []
    place = origins[-1]
    while place:
        steps.append(place)
        place = origins[place]
    return [costs[-1], steps[::-1]]
