def boats_needed(weights, limit):
    """Return the fewest boats that carry all people, each boat taking at
    most two people of together at most limit, or -1 if one is too heavy."""
    ordered = sorted(weights)
    if ordered and ordered[-1] > limit:
        return -1
    boats = 0
    lightest = 0
    heaviest = len(ordered) - 1
    while lightest <= heaviest:
        if ordered[lightest] + ordered[heaviest] <= limit:
            lightest += 1
        heaviest -= 1
        boats += 1
    return boats
