def zone_fare(trips, fares, cap):
    """Return the price, at most cap, of trips [start, end] where fares[k] is
    for k + 1 zones touched and the last fare for more; a trip straight back
    after a full-price trip costs half its fare, rounded down."""
    total = 0
    previous = None
    for start, end in trips:
        zones = abs(end - start) + 1
        fare = fares[min(zones, len(fares)) - 1]
        if previous == [end, start]:
            total += fare // 2
            previous = None
        else:
            total += fare
            previous = [start, end]
    return min(total, cap)
