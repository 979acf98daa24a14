def hand_melds(tiles):
    """Split tiles of one suit, numbers, into groups of three equal ones or
    three that follow each other and return the groups, the one with the
    lowest number first, or None if that is impossible; three equal ones are
    tried first.
    """
    if not tiles:
        return []
    lowest = min(tiles)
    for step in (0, 1):
        group = [lowest, lowest + step, lowest + 2 * step]
        rest = sorted(tiles)
        for tile in group:
            if tile in rest:
                rest.remove(tile)
        if len(rest) == len(tiles) - 3:
            melds = hand_melds(rest)
            if melds is not None:
                return [group] + melds
    return None
