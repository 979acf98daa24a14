def recount_list(expected, counts):
    """Return the sorted names of the items that must be counted again. An
    item is settled once its last count equals the one before it or, if it
    was counted just once, the number expected; expected is a dict, where
    missing items have 0, and counts are rows [item, number] in order.
    """
    history = {}
    for item, number in counts:
        history.setdefault(item, []).append(number)
    open_items = []
    for item in sorted(set(expected) | set(history)):
        numbers = [expected.get(item, 0)] + history.get(item, [])
        if len(numbers) == 1 or numbers[-1] != numbers[-2]:
            open_items.append(item)
    return open_items
