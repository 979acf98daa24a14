from collections import OrderedDict


def recent_totals(entries):
    """Return the totals of entries [account, amount] as a list of [account,
    total], the account that was used last at the end.
    """
    totals = OrderedDict()
    for account, amount in entries:
        totals[account] = totals.get(account, 0) + amount
        totals.move_to_end(account)
    return [[account, total] for account, total in totals.items()]
