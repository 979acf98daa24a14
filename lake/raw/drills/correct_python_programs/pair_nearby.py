def pair_nearby(left, right, tolerance):
    """Merge two rising lists into pairs [left, right]. While both have values
    left, pair their next values if they are at most tolerance apart, else
    put the smaller one in its place of a pair with None, as is done with the
    rest of the longer-lasting list in the end.
    """
    pairs = []
    i = j = 0
    while i < len(left) and j < len(right):
        gap = right[j] - left[i]
        one = left[i] if gap >= -tolerance else None
        two = right[j] if gap <= tolerance else None
        pairs.append([one, two])
        i += one is not None
        j += two is not None
    pairs.extend([value, None] for value in left[i:])
    pairs.extend([None, value] for value in right[j:])
    return pairs
