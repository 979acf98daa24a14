def fewest_transfers(lines, start, goal):
    """Return how often one must at least change lines {name: stops}, which
    run both ways, to get from one stop to another, or None if there is no way.
    It is 0 for one line and for staying at the start.
    """
    reached = {start}
    left = dict(lines)
    rides = 0
    while goal not in reached:
        boarded = [name for name in left if reached & set(left[name])]
        if not boarded:
            return None
        for name in boarded:
            reached.update(left.pop(name))
        rides += 1
    return max(rides - 1, 0)
