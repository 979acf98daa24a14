from statistics import mean, pstdev


def sensor_spread(readings, limit):
    """Return the names of sensors whose readings spread by more than limit,
    as a share of their mean, in order of name. A mean of 0 counts as spread.
    """
    noisy = []
    for name in sorted(readings):
        values = readings[name]
        middle = mean(values)
        if middle == 0 or pstdev(values) / abs(middle) > limit:
            noisy.append(name)
    return noisy
