def join_piles(piles):
    """Return the least total cost of joining a row of piles into one.

    Only neighbouring piles can be joined, two at a time, and a join costs
    as much as the new pile is large.
    """
    size = len(piles)
    cost = {(start, start + 1): 0 for start in range(size)}
    for length in range(2, size + 1):
        for start in range(size - length + 1):
            end = start + length
            parts = []
            for cut in range(start + 1, end):
                parts.append(cost[start, cut] + cost[cut, end])
            cost[start, end] = min(parts) + sum(piles[start:end])
    return cost.get((0, size), 0)
