def staggered_rows(length, width, spacing, between):
    """Return the numbers of plants in the rows of a bed that is length by
    width in size: the first row lies on one long side and each next one
    between further, up to the other side. In a row plants are spacing apart
    from the left end on, but half a spacing further right in every second
    row.
    """
    counts = []
    across = 0
    while across <= width:
        room = 2 * length
        if len(counts) % 2 == 1:
            room -= spacing
        counts.append(room // (2 * spacing) + 1)
        across += between
    return counts
