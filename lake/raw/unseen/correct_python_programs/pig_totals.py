def pig_totals(players, goal, rolls):
    """Return the totals of a game of pig, in which the players roll a die in
    turn: 2 to 6 are added to the turn, 1 ends it for nothing, and a 0 means
    that the player holds, which adds the turn to the total and ends it; the
    game is over once a total gets to goal.
    """
    totals = [0] * players
    player = turn = 0
    for roll in rolls:
        if roll > 1:
            turn += roll
            continue
        if roll == 0:
            totals[player] += turn
            if totals[player] >= goal:
                break
        player = (player + 1) % players
        turn = 0
    return totals
