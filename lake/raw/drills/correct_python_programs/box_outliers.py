from statistics import median


def box_outliers(values):
    """Return in their order the values that lie more than one and a half
    times the length of the box away from it; the box goes from the median of
    the lower half of the values to that of the upper half, both without the
    middle value of an odd number. Fewer than two values have no outliers."""
    if len(values) < 2:
        return []
    ordered = sorted(values)
    half = len(ordered) // 2
    bottom = median(ordered[:half])
    top = median(ordered[-half:])
    reach = 1.5 * (top - bottom)
    return [v for v in values if v < bottom - reach or v > top + reach]
