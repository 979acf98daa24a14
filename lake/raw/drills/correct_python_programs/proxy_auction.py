def proxy_auction(bids, start, step):
    """Return [leader, price] after bids [name, most to pay], None and start
    without a leader. The first bid of at least start leads at start; a bid
    of the leader can only raise what the leader would pay at most; another
    bid above that takes the lead and makes the price the old most plus step,
    but not over its own; any other lifts a lower price to itself plus step,
    but not over the leader's most."""
    leader, most, price = None, None, start
    for name, bid in bids:
        if name == leader:
            most = max(most, bid)
        elif leader is None:
            if bid >= start:
                leader, most = name, bid
        elif bid > most:
            leader, most, price = name, bid, min(most + step, bid)
        else:
            price = max(price, min(bid + step, most))
    return [leader, price]
