def order_quantity(need, breaks):
    """Return [pieces, total] for the cheapest order of at least so many
    pieces, of equally cheap ones the largest. Breaks [pieces, price] rise from
    1 piece on, and the price of a piece is that of the last break not above
    the number ordered; only the need and higher breaks are tried.
    """
    best = None
    for count in [need] + [start for start, _ in breaks if start > need]:
        for start, price in breaks:
            if start <= count:
                total = count * price
        if best is None or total <= best[1]:
            best = [count, total]
    return best
