def despike_readings(values, limit):
    """Return the values, but each one that is more than limit away from the
    median of itself and its two neighbours (as given) replaced by that
    median. The first and the last value stay as they are.
    """
    cleaned = list(values)
    for index in range(1, len(values) - 1):
        middle = sorted(values[index - 1:index + 2])[1]
        if abs(values[index] - middle) > limit:
            cleaned[index] = middle
    return cleaned
