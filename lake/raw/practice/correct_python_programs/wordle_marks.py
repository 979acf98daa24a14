def wordle_marks(secret, guess):
    """Return a mark for each letter of the guess: "G" in the right place, "Y"
    (from the left) while the secret has that letter left over in another
    place, "-" for no more of it. Both words have the same length."""
    spare = {}
    for want, got in zip(secret, guess):
        if want != got:
            spare[want] = spare.get(want, 0) + 1
    marks = ""
    for want, got in zip(secret, guess):
        if want == got:
            marks += "G"
        elif spare.get(got, 0) > 0:
            marks += "Y"
            spare[got] -= 1
        else:
            marks += "-"
    return marks
