def nearest_rank(values, percent):
    """Return the smallest value such that at least percent percent of all
    values are no larger, the minimum for 0 percent, None without values."""
    if not values:
        return None
    rank = percent * len(values) // 100
    if rank * 100 < percent * len(values):
        rank += 1
    return sorted(values)[max(rank, 1) - 1]
