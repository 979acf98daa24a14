from itertools import combinations


def repeat_invoices(invoices, days):
    """Return the pairs [id, id] of invoices that may be one sent twice: same
    supplier in any case, same amount above zero, and at most that many days
    apart. An invoice is a row [id, supplier, amount, day]; pairs come
    in order of the first, then of the second in the list.
    """
    pairs = []
    for one, other in combinations(invoices, 2):
        same_sender = one[1].lower() == other[1].lower()
        same_amount = one[2] == other[2] > 0
        if same_sender and same_amount and abs(one[3] - other[3]) <= days:
            pairs.append([one[0], other[0]])
    return pairs
