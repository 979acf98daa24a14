def remainder_seats(votes, seats, hurdle):
    """Return the seats of each party with at least hurdle percent of all
    votes, in the order given. Each gets its share of the seats by votes for
    these parties, rounded down, and those left go one each to the largest
    parts cut off, of equal ones to the party with more votes, then the first.
    """
    total = sum(votes.values())
    votes = {party: count for party, count in votes.items()
             if 100 * count >= hurdle * total}
    counted = sum(votes.values())
    shares = {party: votes[party] * seats // counted for party in votes}
    left = seats - sum(shares.values())

    def claim(party):
        return [-(votes[party] * seats % counted), -votes[party]]

    for party in sorted(votes, key=claim)[:left]:
        shares[party] += 1
    return shares
