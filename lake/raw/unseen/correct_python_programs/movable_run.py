RANKS = "A23456789TJQK"


def movable_run(pile):
    """Return the cards at the end of a pile of patience that can be moved as
    one: cards such as "TH" (the ten of hearts) each one rank below and not
    of the same colour (D and H red, C and S black) as the one before; a card
    face down is "??".
    """
    run = []
    for card in reversed(pile):
        if card == "??":
            break
        if run:
            drop = RANKS.index(card[0]) - RANKS.index(run[-1][0])
            same = (card[1] in "DH") == (run[-1][1] in "DH")
            if drop != 1 or same:
                break
        run.append(card)
    return run[::-1]
