def morse_units(message):
    """Return how long the Morse message lasts: a dot 1, a dash 3, a pause of 1
    between signs, of 3 in place of blanks, of 7 in place of a slash with or
    without blanks around it; a pause at the end does not count."""
    total = 0
    pause = 0
    for sign in message:
        if sign == "/":
            pause = 7
        elif sign == " ":
            pause = max(pause, 3)
        else:
            total += pause
            total += 3 if sign == "-" else 1
            pause = 1
    return total
