def tally(votes, least):
    """Return the names with at least so many votes, most votes first, then by name."""
    counts = {}
    for name in votes:
        counts[name] = counts.get(name, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [name for name, count in ranked if count >= least]
