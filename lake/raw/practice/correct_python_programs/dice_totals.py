def dice_totals(sides, least):
    """Count the throws of dice with the given numbers of sides (faces 1
    to side count, dice told apart) whose total is least or more.
    """
    ways = {0: 1}
    for size in sides:
        longer = {}
        for total, count in ways.items():
            for face in range(1, size + 1):
                reached = total + face
                longer[reached] = longer.get(reached, 0) + count
        ways = longer
    return sum(ways[total] for total in ways if total >= least)
