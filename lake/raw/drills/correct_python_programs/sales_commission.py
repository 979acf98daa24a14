def sales_commission(sales, brackets):
    """Return a dict, sorted by name, of each seller's commission on the total
    of their sales [seller, amount], where a negative amount is a refund. Each
    bracket [start, percent], lowest start first, pays that percent on the
    part of the total from its start to the next; the sum is rounded down.
    """
    totals = {}
    for seller, amount in sales:
        totals[seller] = totals.get(seller, 0) + amount
    commission = {}
    for seller in sorted(totals):
        rest = totals[seller]
        earned = 0
        for start, percent in reversed(brackets):
            if rest > start:
                earned += (rest - start) * percent
                rest = start
        commission[seller] = earned // 100
    return commission
