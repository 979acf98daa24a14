from itertools import combinations


def crib_points(ranks):
    """Return the points of a hand at cribbage, ranks from 1 (ace) to 13
    (king), for fifteens and pairs: 2 for each choice of cards that add up to
    15, where all above 10 count 10, and 2 for each two cards of equal rank.
    """
    points = 0
    for size in range(2, len(ranks) + 1):
        for group in combinations(ranks, size):
            if sum(min(rank, 10) for rank in group) == 15:
                points += 2
            if size == 2 and group[0] == group[1]:
                points += 2
    return points
