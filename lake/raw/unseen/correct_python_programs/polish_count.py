def polish_count(count, one, few, many):
    """Return a count with the form of a Polish noun that follows it: one for
    1, few for numbers that end in 2, 3 or 4 but not in 12, 13 or 14, and many
    for all others, the sign left aside; "brak" stands for a count of 0.
    """
    size = abs(count)
    if size == 1:
        form = one
    elif size % 10 in (2, 3, 4) and size % 100 not in (12, 13, 14):
        form = few
    else:
        form = many
    return f"{count or 'brak'} {form}"
