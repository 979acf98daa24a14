def balance_index(weights):
    """Return the first index at which the sum of the values before it equals
    the sum of the values after it, or -1 if there is none."""
    total = sum(weights)
    before = 0
    for index in range(len(weights)):
        if 2 * before + weights[index] == total:
            return index
        before += weights[index]
    return -1
