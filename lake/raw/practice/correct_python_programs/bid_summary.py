from statistics import median_low, mode


def bid_summary(bids):
    """Return [lower median, most frequent] of the amounts that were bid, the
    first of several most frequent ones; [] where nobody bid.
    """
    amounts = [amount for amount in bids.values() if amount > 0]
    if not amounts:
        return []
    return [median_low(amounts), mode(amounts)]
