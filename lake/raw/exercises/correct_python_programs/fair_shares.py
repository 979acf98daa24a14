def fair_shares(weights):
    """Return the two totals, smaller first, of the fairest way to share out
    things of these weights between two people.
    """
    whole = sum(weights)
    reachable = {0}
    for weight in weights:
        reachable |= {total + weight for total in reachable}
    smaller = max(total for total in reachable if total <= whole / 2)
    return [smaller, whole - smaller]
