def taxi_meter(legs, base, step_price):
    """Return the fare in cents of a taxi ride over legs [metres, seconds]. A
    leg counts as its metres or as 5 metres for each second, whichever is
    more. The base covers the first 1000 metres of the sum, and each started
    100 metres after them cost step_price; without legs the fare is 0.
    """
    if not legs:
        return 0
    counted = 0
    for metres, seconds in legs:
        counted += max(metres, 5 * seconds)
    fare = base
    while counted > 1000:
        fare += step_price
        counted -= 100
    return fare
