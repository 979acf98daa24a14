def week_menu(dishes, days, rest):
    """Return the name of the dish [name, main part] for each day: the first
    in the list whose main part was not served on the rest days before, which
    then moves to the end of the list, or None if there is no such dish.
    """
    waiting = list(dishes)
    menu, mains = [], []
    for day in range(days):
        recent = mains[max(0, day - rest):]
        fitting = [dish for dish in waiting if dish[1] not in recent]
        if fitting:
            chosen = fitting[0]
            waiting.remove(chosen)
            waiting.append(chosen)
        else:
            chosen = [None, None]
        menu.append(chosen[0])
        mains.append(chosen[1])
    return menu
