def weighted_grade(groups):
    """Return the weighted mean, rounded to one decimal, of the averages of
    groups [scores, weight]; a group of three or more scores drops its lowest,
    empty groups do not count, and the result is None if no weight is left."""
    earned = 0
    weights = 0
    for scores, weight in groups:
        if not scores:
            continue
        kept = sorted(scores)
        if len(kept) >= 3:
            kept = kept[1:]
        earned += weight * sum(kept) / len(kept)
        weights += weight
    if weights == 0:
        return None
    return round(earned / weights, 1)
