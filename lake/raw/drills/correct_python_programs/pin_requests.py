def pin_requests(amounts, single, total, count):
    """Say for each card payment whether it needs the PIN: if it is over
    single, if it brings the sum paid since the last PIN, itself included,
    over total, or if count payments came since then. All starts as after
    a PIN, and a payment with PIN is not part of the next sum."""
    answers = []
    spent = taps = 0
    for amount in amounts:
        needed = amount > single or spent + amount > total or taps >= count
        if needed:
            spent = taps = 0
        else:
            spent += amount
            taps += 1
        answers.append(needed)
    return answers
