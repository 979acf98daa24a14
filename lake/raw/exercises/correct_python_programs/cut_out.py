def cut_out(spans, start, end):
    """Take the part from start to end out of every span, which may leave two
    pieces of it, one or none.
    """
    left = []
    for low, high in spans:
        if high <= start or low >= end:
            left.append([low, high])
            continue
        if low < start:
            left.append([low, start])
        if high > end:
            left.append([end, high])
    return left
