def token_game_length(moves, place):
    """Return how many moves are made when two players in turn move a token
    from a place to one of its next places {place: places}, without circles,
    and whoever cannot move loses. Who can be sure to win does so as fast as
    possible, and the other one delays the end as long as possible.
    """
    lengths = []
    for goal in moves.get(place, []):
        lengths.append(token_game_length(moves, goal) + 1)
    winning = [length for length in lengths if length % 2 == 1]
    if winning:
        return min(winning)
    return max(lengths, default=0)
