from itertools import product


def outfit_choices(tops, bottoms, clashes):
    """Return all outfits "top/bottom" but those of clashes, pairs [top,
    bottom], in the order of tops and then bottoms.
    """
    barred = {tuple(clash) for clash in clashes}
    outfits = []
    for top, bottom in product(tops, bottoms):
        if (top, bottom) not in barred:
            outfits.append(f"{top}/{bottom}")
    return outfits
