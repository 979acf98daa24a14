def split_widest_gaps(values, parts):
    """Return the sorted values cut into so many parts (1 or more) at the
    widest gaps between neighbours, of equal gaps at the ones further left.
    If there are fewer values than parts, each is a part of its own; without
    values there are no parts.
    """
    if not values:
        return []
    row = sorted(values)
    spots = range(1, len(row))
    widest = sorted(spots, key=lambda spot: row[spot - 1] - row[spot])
    cuts = sorted(widest[:parts - 1])
    pieces = []
    for start, end in zip([0] + cuts, cuts + [len(row)]):
        pieces.append(row[start:end])
    return pieces
