def volleyball_sets(rallies, goal):
    """Return the scores [a, b] of the sets of a match whose rallies, a text
    of A and B, were won by these sides; a set ends once a side has at least
    goal points and two more than the other, and the last one may be
    unfinished.
    """
    sets = []
    ended = True
    for side in rallies:
        if ended:
            sets.append([0, 0])
        score = sets[-1]
        score["AB".index(side)] += 1
        ended = max(score) >= goal and abs(score[0] - score[1]) >= 2
    return sets
