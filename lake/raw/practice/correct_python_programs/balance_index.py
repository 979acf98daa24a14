def balance_index(weights):
    """Return the first index at which the sum of the values before it equals
    the sum of the values after it, or -1 if there is none."""
    left = 0
    right = sum(weights)
    for index, weight in enumerate(weights):
        right -= weight
        if left == right:
            return index
        left += weight
    return -1
