def nearby_repeat(items, reach):
    """Return [first, second], the indices of the earliest completed pair of
    equal items at most reach places apart, or [] if there is none."""
    last_seen = {}
    for index, item in enumerate(items):
        before = last_seen.get(item, -1)
        if before >= 0 and index - before <= reach:
            return [before, index]
        last_seen[item] = index
    return []
