from fractions import Fraction


def proportional_committee(ballots, seats):
    """Return the people elected one after another to so many seats by ballots,
    lists of all whom a voter approves. Each time it is whoever has the largest
    sum over the ballots with that name of 1 divided by 1 more than the number
    of elected ones on the ballot, the first by name of several.
    """
    names = sorted({name for ballot in ballots for name in ballot})
    elected = []
    while names and len(elected) < seats:
        sums = dict.fromkeys(names, 0)
        for ballot in ballots:
            share = Fraction(1, 1 + sum(name in ballot for name in elected))
            for name in ballot:
                if name in sums:
                    sums[name] += share
        elected.append(max(names, key=sums.get))
        names.remove(elected[-1])
    return elected
