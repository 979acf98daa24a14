def best_training(points, rest):
    """Return the most points that can be won on chosen training days.

    Every training day must be followed by at least rest days without
    training before the next one; training on no day wins 0 points.
    """
    best = [0]
    for day, gain in enumerate(points):
        earlier = max(day - rest, 0)
        with_today = best[earlier] + gain
        best.append(max(best[day], with_today))
    return best[-1]
