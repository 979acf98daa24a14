def weighted_leaf_sum(items, depth=1):
    """Add up all numbers of a nested list, each times its depth.

    Numbers directly in items have the given depth, those in a list
    inside it one more, and so on.
    """
    total = 0
    for item in items:
        if isinstance(item, list):
            total += weighted_leaf_sum(item, depth + 1)
        else:
            total += item * depth
    return total
