ORDER = "23456789TJQKA"


def trick_winner(cards, trump):
    """Return the index of the card, like "TH" for the ten of hearts, that wins
    the trick: the highest of the trump suit, or if no trump was played the
    highest of the suit of the first card."""
    best = 0
    for i in range(1, len(cards)):
        rank, suit = cards[i]
        best_rank, best_suit = cards[best]
        if suit == best_suit:
            if ORDER.index(rank) > ORDER.index(best_rank):
                best = i
        elif suit == trump:
            best = i
    return best
