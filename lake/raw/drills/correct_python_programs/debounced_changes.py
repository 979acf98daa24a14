def debounced_changes(samples, needed):
    """Return [index, value] for each change of a bouncing switch. It takes a
    value, other than the one it has, at the index where that value has been
    sampled needed times in a row; at first it has none.
    """
    changes = []
    state = None
    run = 0
    for index, value in enumerate(samples):
        if index > 0 and value != samples[index - 1]:
            run = 0
        run += 1
        if run >= needed and value != state:
            state = value
            changes.append([index, value])
    return changes
