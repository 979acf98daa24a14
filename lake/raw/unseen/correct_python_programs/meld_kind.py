RANKS = "A23456789TJQK"


def meld_kind(cards):
    """Name what cards such as "TH" (the ten of hearts) are at rummy: "set" if
    they are three or more of one rank and different suits, "run" if they are
    three or more of one suit that follow each other, the ace first, in any
    order, and None otherwise.
    """
    if len(cards) < 3:
        return None
    places = sorted(RANKS.index(card[0]) for card in cards)
    suits = {card[1] for card in cards}
    if len(set(places)) == 1 and len(suits) == len(cards):
        return "set"
    straight = list(range(places[0], places[0] + len(cards)))
    return "run" if len(suits) == 1 and places == straight else None
