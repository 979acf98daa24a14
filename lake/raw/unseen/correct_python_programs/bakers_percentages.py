def bakers_percentages(dough, flours):
    """Return {ingredient: percent} of a dough {ingredient: grams}, which are
    shares of all its flours together, rounded to whole percent, halves up;
    a dough without flour gives {}.
    """
    flour = 0
    for name in flours:
        flour += dough.get(name, 0)
    if flour == 0:
        return {}
    percent = {}
    for name, grams in dough.items():
        percent[name] = (200 * grams + flour) // (2 * flour)
    return percent
