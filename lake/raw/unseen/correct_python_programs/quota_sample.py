def quota_sample(people, quotas):
    """Return the names of the people [name, traits] who are interviewed, in
    the order they are met: everybody of whose traits each has a quota with
    more places than were interviewed with it before.
    """
    left = dict(quotas)
    names = []
    for name, traits in people:
        if any(left.get(trait, 0) <= 0 for trait in traits):
            continue
        names.append(name)
        for trait in traits:
            left[trait] -= 1
    return names
