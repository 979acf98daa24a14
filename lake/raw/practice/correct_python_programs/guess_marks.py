def guess_marks(secret, guess):
    """Mark each letter of the guess, a word as long as the secret: "=" in the
    right place, "+" elsewhere in the secret, "." not there. A letter of the
    secret serves one mark only, "=" first, then "+" from the left."""
    left = [s for s, g in zip(secret, guess) if s != g]
    marks = ""
    for s, g in zip(secret, guess):
        if s == g:
            marks += "="
        elif g in left:
            marks += "+"
            left.remove(g)
        else:
            marks += "."
    return marks
