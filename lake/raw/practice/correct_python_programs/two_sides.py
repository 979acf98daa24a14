def two_sides(rivals):
    """Split people into two sorted teams without rivals in one team, or
    return None; rivals lists everybody's rivals, in both directions.
    Of people linked by rivalry the first by name is in the first team.
    """
    team = {}
    for start in sorted(rivals):
        team.setdefault(start, 0)
        waiting = [start]
        while waiting:
            person = waiting.pop()
            for rival in rivals[person]:
                if rival not in team:
                    team[rival] = 1 - team[person]
                    waiting.append(rival)
                elif team[rival] == team[person]:
                    return None
    return [sorted(p for p in team if team[p] == n) for n in (0, 1)]
