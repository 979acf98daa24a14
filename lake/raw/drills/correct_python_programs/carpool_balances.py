from collections import defaultdict


def carpool_balances(trips):
    """Return a dict, sorted by name, of what everyone is still to get (above
    zero) or to pay (below zero) for trips [driver, riders, cents], whose cost
    each driver paid. One or two riders share it equally with the driver, more
    riders only among themselves; all riders pay the same whole cents, rounded
    down, and the rest stays with the driver. Balances of 0 are left out.
    """
    balances = defaultdict(int)
    for driver, riders, cents in trips:
        payers = len(riders) if len(riders) > 2 else len(riders) + 1
        share = cents // payers
        balances[driver] += share * len(riders)
        for rider in riders:
            balances[rider] -= share
    return {name: balances[name] for name in sorted(balances)
            if balances[name] != 0}
