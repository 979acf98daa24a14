def berth_hours(depths, draught, stay, mud):
    """Return the hours at which a ship can come in to leave again stay hours
    later: the depth, given for each hour from 0 on, must be at least its
    draught in both hours, and in those between not more than mud less.
    """
    hours = []
    for come in range(len(depths) - stay):
        leave = come + stay
        if min(depths[come], depths[leave]) < draught:
            continue
        if all(depth + mud >= draught for depth in depths[come:leave]):
            hours.append(come)
    return hours
