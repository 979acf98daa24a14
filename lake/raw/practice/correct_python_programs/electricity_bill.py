def electricity_bill(used, base, tiers, top):
    """Return base plus the price of the units used, where each tier
    [upper, price] prices the units up to upper that no tier before it covers
    (uppers rise), and each unit above all tiers costs top."""
    bill = base
    lower = 0
    for upper, price in tiers:
        if used <= upper:
            return bill + (used - lower) * price
        bill += (upper - lower) * price
        lower = upper
    return bill + (used - lower) * top
