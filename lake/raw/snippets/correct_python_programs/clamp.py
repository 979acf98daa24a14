def clamp(value, low=None, high=None):
    if low is not None and value < low:
        return low
    if high is not None and value > high:
        return high
    return value
