def tennis_call(rallies):
    """Return the call in a tennis game after rallies won by "A" or "B": "game"
    or "advantage" with the leader's letter, "deuce" from three points each on,
    or else the points of A and B like "30-15"."""
    a = rallies.count("A")
    b = rallies.count("B")
    leader = "A" if a > b else "B"
    if max(a, b) >= 4 and abs(a - b) >= 2:
        return "game " + leader
    if min(a, b) >= 3:
        if a == b:
            return "deuce"
        return "advantage " + leader
    points = ["0", "15", "30", "40"]
    return points[a] + "-" + points[b]
