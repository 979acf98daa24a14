from itertools import permutations


def medley_team(times):
    """Return [total, swimmers in the order of the legs] of the fastest relay
    in which everyone swims at most one leg, of equal ones the first by the
    swimmers' names, where times {swimmer: seconds for each leg} has at least
    as many swimmers as legs.
    """
    best = None
    legs = min(map(len, times.values()))
    for team in permutations(sorted(times), legs):
        total = sum(times[name][leg] for leg, name in enumerate(team))
        if best is None or total < best[0]:
            best = [total, list(team)]
    return best
