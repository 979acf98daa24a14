from bisect import bisect_right


def best_bookings(bookings):
    """Return the most money that bookings [start, end, price] can bring if no
    two of those taken overlap; one may start when another ends.
    """
    ordered = sorted(bookings, key=lambda booking: booking[1])
    ends = [end for _, end, _ in ordered]
    best = [0]
    for index, (start, _, price) in enumerate(ordered):
        before = bisect_right(ends, start, 0, index)
        best.append(max(best[-1], best[before] + price))
    return best[-1]
