def meal_deal_bill(basket, deal, price):
    """Return the sum to pay for a basket of rows [kind, cents] when one item
    of each kind in the deal costs the deal's price together. The dearest of
    each kind form the first deal, the next ones the second and so on; a deal
    is not used where it would cost more than its items.
    """
    total = sum(cents for _, cents in basket)
    ranked = []
    for wanted in deal:
        costs = [cents for kind, cents in basket if kind == wanted]
        ranked.append(sorted(costs, reverse=True))
    for meal in zip(*ranked):
        total -= max(sum(meal) - price, 0)
    return total
