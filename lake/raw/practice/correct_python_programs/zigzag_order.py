def zigzag_order(values):
    """Walk once from left to right over a copy, swapping two neighbours only
    if needed, so that the values go up, down, up, down (or stay equal)."""
    result = values[:]
    for index in range(len(result) - 1):
        here, following = result[index:index + 2]
        if index % 2 == 0:
            wrong = here > following
        else:
            wrong = here < following
        if wrong:
            result[index] = following
            result[index + 1] = here
    return result
