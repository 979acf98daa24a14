def shootout_end(kicks, rounds):
    """Return [goals A, goals B, kicks taken] when a shootout ends, in which A
    and B kick in turn, "o" a goal and "x" none: a side leads by more than
    the kicks that the other has left of its rounds, or after them of the
    round in progress, or there are no more kicks.
    """
    goals, taken = [0, 0], [0, 0]
    for number, kick in enumerate(kicks):
        side = number % 2
        goals[side] += kick == "o"
        taken[side] += 1
        planned = max(rounds, taken[0])
        lead = goals[0] - goals[1]
        if lead > planned - taken[1] or -lead > planned - taken[0]:
            break
    return goals + [sum(taken)]
