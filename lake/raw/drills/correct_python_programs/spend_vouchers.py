def spend_vouchers(price, vouchers):
    """Return [rest to pay, values used] for vouchers [value, minimum], tried
    by falling value, then falling minimum: each is used if what is left to
    pay by then is at least its value and its minimum."""
    used = []
    for value, minimum in sorted(vouchers, reverse=True):
        if price >= max(value, minimum):
            price -= value
            used.append(value)
    return [price, used]
