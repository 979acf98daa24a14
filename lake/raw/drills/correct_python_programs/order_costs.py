from bisect import bisect_right


def order_costs(orders, prices):
    """Return the cost of each order [item, day, count] at the price valid on
    its day, which is the item's last price from that day or before; None for
    an order without one. The prices [item, first day, price] are in any
    order, at most one for an item and day.
    """
    costs = []
    for item, day, count in orders:
        known = sorted(row[1:] for row in prices if row[0] == item)
        index = bisect_right([start for start, _ in known], day)
        if index == 0:
            costs.append(None)
        else:
            costs.append(count * known[index - 1][1])
    return costs
