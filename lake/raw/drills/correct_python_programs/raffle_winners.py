def raffle_winners(sales, drawn, prizes):
    """Return who wins the prizes of a raffle, first prize first. Tickets are
    numbered from 1 on in the order of the sales [buyer, tickets]; the drawn
    numbers are gone through until all prizes are won, passing over numbers
    that were not sold and buyers who have won already.
    """
    owners = []
    for buyer, tickets in sales:
        owners += [buyer] * tickets
    winners = []
    for number in drawn:
        if len(winners) == prizes:
            break
        if 1 <= number <= len(owners):
            owner = owners[number - 1]
            if owner not in winners:
                winners.append(owner)
    return winners
