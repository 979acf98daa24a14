def cheapest_trip(flights, start, goal, stops):
    """Return the lowest price to get from start to goal by flights
    [from, to, price] with at most that many stops between, or None.
    """
    prices = {start: 0}
    for _ in range(stops + 1):
        improved = dict(prices)
        for source, target, price in flights:
            if source not in prices:
                continue
            total = prices[source] + price
            if total < improved.get(target, float("inf")):
                improved[target] = total
        prices = improved
    return prices.get(goal)
