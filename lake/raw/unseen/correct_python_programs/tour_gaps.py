def tour_gaps(stages, bonuses):
    """Return [gap, name] for each rider of a stage race, sorted, where the
    gap is to the lowest total of seconds. Each stage is a list of
    [name, seconds], in which the fastest, of equal ones the first listed,
    are credited the bonuses in turn, and who misses a stage is out.
    """
    totals = {}
    for number, stage in enumerate(stages):
        finished = {}
        ranking = sorted(stage, key=lambda row: row[1])
        for place, (name, seconds) in enumerate(ranking):
            if number > 0 and name not in totals:
                continue
            bonus = bonuses[place] if place < len(bonuses) else 0
            finished[name] = totals.get(name, 0) + seconds - bonus
        totals = finished
    least = min(totals.values(), default=0)
    return sorted([total - least, name] for name, total in totals.items())
