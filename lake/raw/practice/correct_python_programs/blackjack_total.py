def blackjack_total(cards):
    """Return the best blackjack total up to 21 of cards like "7", "10", "K" or
    "A" (an ace counts 11 or 1), or 0 when every total is over 21."""
    total = 0
    high_aces = 0
    for card in cards:
        if card == "A":
            total += 11
            high_aces += 1
        elif card in ("J", "Q", "K"):
            total += 10
        else:
            total += int(card)
    while total > 21 and high_aces > 0:
        total -= 10
        high_aces -= 1
    return total if total <= 21 else 0
