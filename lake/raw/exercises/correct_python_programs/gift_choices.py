def gift_choices(prices, budget, most=3):
    """Return all sorted lists of one to most prices that add up to exactly the
    budget, where each price can be taken as often as it is listed.
    """
    ordered = sorted(prices)
    choices = []

    def choose(start, left, taken):
        if left == 0 and taken:
            choices.append(taken)
        if len(taken) == most:
            return
        for index in range(start, len(ordered)):
            price = ordered[index]
            if price > left:
                break
            if index > start and price == ordered[index - 1]:
                continue
            choose(index + 1, left - price, taken + [price])

    choose(0, budget, [])
    return choices
