def ascending_runs(values, shortest):
    """Cut the values wherever one is not larger than the one before it, and
    return the pieces, in order, that have at least shortest values."""
    runs = []
    start = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] <= values[index - 1]:
            if index - start >= shortest:
                runs.append(values[start:index])
            start = index
    return runs
