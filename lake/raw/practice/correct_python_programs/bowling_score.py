def bowling_score(rolls):
    """Return the total of a complete ten-pin bowling game of ten frames, given
    the pins of every roll; strikes add the next two rolls, spares the next."""
    score = 0
    at = 0
    for _ in range(10):
        pins = rolls[at] + rolls[at + 1]
        if rolls[at] == 10:
            score += pins + rolls[at + 2]
            at += 1
        elif pins == 10:
            score += pins + rolls[at + 2]
            at += 2
        else:
            score += pins
            at += 2
    return score
