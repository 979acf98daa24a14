def knockout_winner(plan, ratings):
    """Return [winner, number of matches won by it] of a knockout plan, which
    is a team or null for nobody or a pair of plans whose winners meet. The
    higher rating wins, with equal ones the first of the pair; against nobody
    a team goes on without a match.
    """
    if plan is None or isinstance(plan, str):
        return [plan, 0]
    (one, one_wins), (two, two_wins) = [
        knockout_winner(part, ratings) for part in plan
    ]
    if two is None:
        return [one, one_wins]
    if one is None:
        return [two, two_wins]
    if ratings[two] > ratings[one]:
        return [two, two_wins + 1]
    return [one, one_wins + 1]
