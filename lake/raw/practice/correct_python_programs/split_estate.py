def has_heir(name, family, dead):
    below = family[name]
    return name not in dead or any(has_heir(n, below, dead) for n in below)


def split_estate(coins, family, dead):
    """Share coins equally among the children in family (name: children).
    A dead child's part goes to its own children by the same rule, the dead
    without living descendants get none, spare coins go one each to the first.
    """
    shares = {}
    heirs = [name for name in family if has_heir(name, family, dead)]
    for place, name in enumerate(heirs):
        part = (coins + len(heirs) - 1 - place) // len(heirs)
        if name in dead:
            shares.update(split_estate(part, family[name], dead))
        else:
            shares[name] = part
    return shares
