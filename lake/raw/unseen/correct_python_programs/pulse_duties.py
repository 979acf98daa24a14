def pulse_duties(samples, level):
    """Return for each full period of a signal, from one rise to the next, in
    what percentage of its samples, rounded down, the signal is high, which
    means at least at the level. A rise is a high sample right after a low
    one.
    """
    highs = [sample >= level for sample in samples]
    rises = []
    for place in range(1, len(highs)):
        if highs[place] and not highs[place - 1]:
            rises.append(place)
    duties = []
    for start, end in zip(rises, rises[1:]):
        duties.append(100 * sum(highs[start:end]) // (end - start))
    return duties
