from itertools import combinations


def swing_counts(seats, quota):
    """Return for each party with its seats in how many coalitions it is
    needed: those that reach the quota with it but not without it.
    """
    counts = dict.fromkeys(seats, 0)
    for size in range(1, len(seats) + 1):
        for coalition in combinations(seats, size):
            total = sum(seats[party] for party in coalition)
            for party in coalition:
                if total - seats[party] < quota <= total:
                    counts[party] += 1
    return counts
