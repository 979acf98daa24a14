def snake_draft(wishes, rounds):
    """Return the players each team gets in a draft, in the order picked. The
    first round goes through the teams in order, and each further one in the
    opposite direction of the one before. On its turn a team takes the first
    of its wishes that is still free, or nothing if there is none.
    """
    gone = set()
    picks = [[] for _ in wishes]
    order = list(range(len(wishes)))
    for _ in range(rounds):
        for team in order:
            free = [player for player in wishes[team] if player not in gone]
            if free:
                picks[team].append(free[0])
                gone.add(free[0])
        order.reverse()
    return picks
