def expired_stock(batches, orders):
    """Return [thrown away, not delivered] for a shop with batches [first day,
    last day, pieces], in which pieces may be sold, and the pieces ordered on
    the days from 0 on. What is past its last day is thrown away in the
    morning, and what has the earliest last day is sold first.
    """
    stock = []
    thrown = short = 0
    for day, wanted in enumerate(orders):
        stock += [[last, count] for first, last, count in batches
                  if first == day]
        stock.sort()
        while stock and stock[0][0] < day:
            thrown += stock.pop(0)[1]
        while stock and wanted:
            sold = min(wanted, stock[0][1])
            wanted -= sold
            stock[0][1] -= sold
            if stock[0][1] == 0:
                stock.pop(0)
        short += wanted
    return [thrown, short]
