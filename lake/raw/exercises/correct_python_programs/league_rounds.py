def league_rounds(teams):
    """Plan rounds in which all teams meet once: the first team stays, the
    others move on by one place, and with an odd number one team rests.
    """
    ring = list(teams)
    if len(ring) % 2 == 1:
        ring.append(None)
    half = len(ring) // 2
    rounds = []
    for _ in range(len(ring) - 1):
        games = []
        for home, away in zip(ring[:half], reversed(ring[half:])):
            if home is not None and away is not None:
                games.append([home, away])
        rounds.append(games)
        ring.insert(1, ring.pop())
    return rounds
