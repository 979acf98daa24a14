def dry_spells(rain, limit, least):
    """Return [first day, length] for each stretch of least or more days in a
    row, counted from day 1, with less than limit mm of rain; a day that was
    not measured (None) belongs to no stretch.
    """
    spells = []
    start = None
    for day, amount in enumerate(rain + [None], 1):
        if amount is not None and amount < limit:
            if start is None:
                start = day
        elif start is not None:
            length = day - start
            if length >= least:
                spells.append([start, length])
            start = None
    return spells
