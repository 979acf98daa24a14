def reorder_plan(items, pack):
    """Return [name, packs] for every item (a dict with name, stock, minimum
    and target) whose stock is below its minimum, with the fewest whole packs
    of the given size that lift the stock to at least its target.
    """
    plan = []
    for item in items:
        if item["stock"] >= item["minimum"]:
            continue
        missing = item["target"] - item["stock"]
        packs = missing // pack
        if missing % pack > 0:
            packs += 1
        plan.append([item["name"], packs])
    return plan
