def swarmed_hives(weighings, drop):
    """Return the hives that lost at least drop of their weight from one of
    their weighings to the next, each hive once, in the order in which this
    was noticed. The weighings [hive, weight] are in order of time; those
    without a weight (None) do not count.
    """
    latest = {}
    swarmed = []
    for hive, weight in weighings:
        if weight is None:
            continue
        loss = latest.get(hive, weight) - weight
        if loss >= drop and hive not in swarmed:
            swarmed.append(hive)
        latest[hive] = weight
    return swarmed
