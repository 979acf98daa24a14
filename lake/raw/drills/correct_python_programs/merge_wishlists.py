def merge_wishlists(base, mine, theirs):
    """Merge two edited copies of the list base; no list has an item twice.
    Keep the items of mine, in order, without those of base that theirs has
    dropped; then add what is new in theirs, in order, if mine lacks it.
    """
    known = set(base)
    merged = []
    for item in mine:
        dropped = item in known and item not in theirs
        if not dropped:
            merged.append(item)
    for item in theirs:
        if item not in known and item not in merged:
            merged.append(item)
    return merged
