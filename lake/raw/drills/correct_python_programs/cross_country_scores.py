from collections import Counter


def cross_country_scores(finish, scorers):
    """Score teams from the list of the runners' teams in finishing order.
    Teams with fewer runners than scorers are removed, with their places; a
    score is the sum of the places, from 1, of a team's first scorers. Return
    [team, score], lowest first; ties go to the better next runner, a team
    without one last, then to the better first runner.
    """
    sizes = Counter(finish)
    places = {}
    valid = [team for team in finish if sizes[team] >= scorers]
    for place, team in enumerate(valid, start=1):
        places.setdefault(team, []).append(place)
    table = []
    for team, ranks in places.items():
        spare = (ranks + [len(valid) + 1])[scorers]
        table.append((sum(ranks[:scorers]), spare, ranks[0], team))
    return [[team, score] for score, _, _, team in sorted(table)]
