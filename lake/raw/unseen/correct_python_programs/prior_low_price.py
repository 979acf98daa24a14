def prior_low_price(changes, day, window):
    """Return the lowest price that was valid on at least one of the window
    days just before a day, or None if there was no price. Changes [day, price]
    with rising days set the price from their day on.
    """
    prices = []
    for start, price in reversed(changes):
        if start >= day:
            continue
        prices.append(price)
        if start <= day - window:
            break
    return min(prices, default=None)
