def refund_split(payments, amount):
    """Return how an amount goes back to payments [way, cents]: first to all
    by "gift card" in their order, then to the others from the last to the
    first, each at most its own sum, and only as far as the amount lasts.
    """
    cards = [row for row in payments if row[0] == "gift card"]
    others = [row for row in payments if row[0] != "gift card"]
    refunds = []
    for way, cents in cards + others[::-1]:
        back = min(cents, amount)
        if back > 0:
            refunds.append([way, back])
            amount -= back
    return refunds
