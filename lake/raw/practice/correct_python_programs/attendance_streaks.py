def attendance_streaks(visits):
    """From rows [name, day] in any order, possibly repeated, return a dict
    from each name, in sorted order, to the length of the longest run of
    consecutive days on which it appears.
    """
    days = {}
    for name, day in visits:
        days.setdefault(name, set()).add(day)
    best = {}
    for name in sorted(days):
        best[name] = 0
        for day in days[name]:
            if day - 1 not in days[name]:
                end = day + 1
                while end in days[name]:
                    end += 1
                best[name] = max(best[name], end - day)
    return best
