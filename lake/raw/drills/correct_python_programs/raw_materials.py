def raw_materials(recipes, item, count):
    """Return how much of each raw material, a thing without a recipe, goes
    into count pieces of an item. One batch of {item: [made, {part: amount}]}
    gives as many pieces as made; every part is made in whole batches just for
    the thing it goes into, and what is left over is wasted.
    """
    if item not in recipes:
        return {item: count}
    made, parts = recipes[item]
    batches = -(-count // made)
    totals = {}
    for part, amount in parts.items():
        needed = raw_materials(recipes, part, amount * batches)
        for raw, more in needed.items():
            totals[raw] = totals.get(raw, 0) + more
    return totals
