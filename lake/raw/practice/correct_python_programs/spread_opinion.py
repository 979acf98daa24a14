def spread_opinion(friends, start, need):
    """List the sorted names of those who adopt an opinion, per round.

    First come the people in start; then in each round everybody joins who
    has at least need friends among the adopters, till nobody joins.
    """
    rounds = []
    adopters = []
    joining = sorted(start)
    while joining:
        rounds.append(joining)
        adopters = adopters + joining
        joining = []
        for person in sorted(friends):
            known = [f for f in friends[person] if f in adopters]
            if person not in adopters and len(known) >= need:
                joining.append(person)
    return rounds
