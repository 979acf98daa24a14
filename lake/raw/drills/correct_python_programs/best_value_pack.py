def best_value_pack(packs):
    """Return the index of the pack [grams, price] with the lowest price for a
    gram; of equally good packs take the lightest, and then the first. Packs
    of 0 grams are no choice; return -1 if nothing is left.
    """
    best = -1
    for index, (grams, price) in enumerate(packs):
        if grams == 0:
            continue
        if best >= 0:
            best_grams, best_price = packs[best]
            ours, theirs = price * best_grams, best_price * grams
            if ours > theirs or ours == theirs and grams >= best_grams:
                continue
        best = index
    return best
