def speeding_fine(measured, limit):
    """Return the fine for a measured speed in whole km/h. A tolerance is
    taken off first: 3 km/h, but from 101 km/h on 3 percent of it, rounded up
    to whole km/h. What then exceeds the limit costs 30 up to 10 km/h, 50 up to
    15, 70 up to 20, and beyond that 20 more for each started 5 km/h.
    """
    tolerance = 3
    if measured > 100:
        tolerance = (measured * 3 + 99) // 100
    excess = measured - tolerance - limit
    if excess <= 0:
        return 0
    for most, fine in [(10, 30), (15, 50), (20, 70)]:
        if excess <= most:
            return fine
    return 70 + (excess - 16) // 5 * 20
