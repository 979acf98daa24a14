def highest_quotients(votes, seats):
    """Give out the seats one by one, each to the party whose votes divided
    by one more than its seats so far are largest (on a tie the party with
    more votes, then the first by name), and return a dict from party to
    seats, most votes first, parties with equal votes by name.
    """
    parties = sorted(votes, key=lambda party: (-votes[party], party))
    given = {party: 0 for party in parties}
    for _ in range(seats if parties else 0):
        best = parties[0]
        for party in parties[1:]:
            mine = votes[party] * (given[best] + 1)
            if mine > votes[best] * (given[party] + 1):
                best = party
        given[best] += 1
    return given
