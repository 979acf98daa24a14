from collections import Counter


def shopping_gaps(recipes, guests, pantry):
    """Return a dict, sorted by name, of what to buy so that every recipe can
    feed all the guests: the amounts needed beyond those in the pantry, if
    any. A recipe is a dict with "serves", the guests one batch feeds, and
    "needs", the amounts for one; only whole batches are made.
    """
    needed = Counter()
    for recipe in recipes:
        batches = -(-guests // recipe["serves"])
        for item, amount in recipe["needs"].items():
            needed[item] += amount * batches
    gaps = {}
    for item in sorted(needed):
        missing = needed[item] - pantry.get(item, 0)
        if missing > 0:
            gaps[item] = missing
    return gaps
