def runoff_winner(ballots):
    """Return the first candidate that tops more than half of the non-empty
    ballots, striking the candidate with the fewest top places (last by name
    on a tie) from all ballots each round; None if no ballot names anybody.
    """
    names = sorted({name for ballot in ballots for name in ballot})
    while names:
        tally = dict.fromkeys(names, 0)
        for ballot in ballots:
            for name in ballot:
                if name in tally:
                    tally[name] += 1
                    break
        total = sum(tally.values())
        for name in names:
            if 2 * tally[name] > total:
                return name
        lowest = min(tally.values())
        names.remove(max(n for n in names if tally[n] == lowest))
    return None
