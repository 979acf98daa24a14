def winning_moves(stones, moves):
    """List the first moves, in the order given, with which a player wins.

    Two players in turn take away one of the numbers in moves from a heap
    of stones; whoever cannot take any of them loses.
    """
    lost = []
    for heap in range(stones):
        if not any(heap - move in lost for move in moves):
            lost.append(heap)
    return [move for move in moves if stones - move in lost]
