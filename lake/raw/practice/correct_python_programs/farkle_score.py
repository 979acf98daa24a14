def farkle_score(dice):
    """Return the score of the dice: every three ones give 1000, every three of
    another face 100 times the face, and the ones and fives left over give 100
    and 50 each."""
    score = 0
    for face in range(1, 7):
        triples, left = divmod(dice.count(face), 3)
        if face == 1:
            score += 1000 * triples + 100 * left
        else:
            score += 100 * face * triples
        if face == 5:
            score += 50 * left
    return score
