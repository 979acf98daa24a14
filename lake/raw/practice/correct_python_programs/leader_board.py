def leader_board(results, size):
    """Take [name, points] pairs, keep the best result of each name, and
    return the top names, best first, equal points by name; size names, and
    after them all who have as many points as the last of these."""
    best = {}
    for name, points in results:
        if name not in best or points > best[name]:
            best[name] = points
    order = sorted(best, key=lambda name: (-best[name], name))
    if size <= 0:
        return []
    end = min(size, len(order))
    while 0 < end < len(order) and best[order[end]] == best[order[end - 1]]:
        end += 1
    return order[:end]
