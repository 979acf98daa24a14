def condorcet_winner(ballots):
    """Return the candidate who beats each other one, which means to stand
    before it on more ballots than behind it, or None if nobody does.
    Candidates who are not on a ballot stand behind all on it.
    """
    names = sorted({name for ballot in ballots for name in ballot})

    def lead(one, other):
        total = 0
        for ballot in ballots:
            if one in ballot or other in ballot:
                ahead = [name for name in ballot if name in (one, other)][0]
                total += 1 if ahead == one else -1
        return total

    for name in names:
        others = [other for other in names if other != name]
        if all(lead(name, other) > 0 for other in others):
            return name
    return None
