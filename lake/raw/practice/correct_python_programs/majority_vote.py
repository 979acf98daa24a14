def majority_vote(votes):
    """Return the choice that more than half of the votes name, or an empty
    text if no choice has that many."""
    leader = ""
    lead = 0
    for vote in votes:
        if lead == 0:
            leader = vote
            lead = 1
        elif vote == leader:
            lead += 1
        else:
            lead -= 1
    if 2 * votes.count(leader) > len(votes):
        return leader
    return ""
