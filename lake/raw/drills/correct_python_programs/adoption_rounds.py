def adoption_rounds(friends, first, needed):
    """Return who takes up a new fashion in each round, as sorted lists, until
    nobody more does. In a round all those join who have not yet but of whose
    friends {name: names} at least needed had it before the round; the first
    ones have it from the beginning and are not listed.
    """
    wearers = set(first)
    rounds = []
    while True:
        joining = []
        for name in sorted(friends):
            seen = len(wearers.intersection(friends[name]))
            if name not in wearers and seen >= needed:
                joining.append(name)
        if not joining:
            return rounds
        rounds.append(joining)
        wearers.update(joining)
