def seat_guests(guests, feuds):
    """Return the guests, at least one, as they sit round a table so that no
    two neighbours (also last and first) are a pair of feuds, in whatever
    order, or None if that cannot be. The first guest sits first, and each
    seat goes to the earliest guest of the list with whom it can still be.
    """
    def extend(row):
        if len(row) == len(guests):
            ends = [row[-1], row[0]]
            return None if ends in feuds or ends[::-1] in feuds else row
        for guest in guests:
            pair = [row[-1], guest]
            if guest in row or pair in feuds or pair[::-1] in feuds:
                continue
            seated = extend(row + [guest])
            if seated:
                return seated

    return extend(guests[:1])
