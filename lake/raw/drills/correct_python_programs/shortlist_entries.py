from heapq import heapify, heappop, heappush


def shortlist_entries(ballots, count, quota):
    """Return up to count entries [score, ballot index], highest score first,
    equal ones by ballot. Each ballot is a list of falling scores, and no
    more than quota (1 or more) of its scores are taken.
    """
    heads = [(-b[0], index, 0) for index, b in enumerate(ballots) if b]
    heapify(heads)
    chosen = []
    while heads and len(chosen) < count:
        score, index, place = heappop(heads)
        chosen.append([-score, index])
        place += 1
        if place < min(quota, len(ballots[index])):
            heappush(heads, (-ballots[index][place], index, place))
    return chosen
