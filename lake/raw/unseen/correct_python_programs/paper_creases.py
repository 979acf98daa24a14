def paper_creases(folds):
    """Return the creases of a strip of paper, from left to right, after folds,
    each "V" or "M": the right half was laid over the left one (V) or under
    it (M), all layers at once. The first fold is the crease in the middle,
    of the same letter; the later ones make the creases to its left, and
    those to its right are these backwards, each with the other letter.
    """
    if not folds:
        return ""
    left = paper_creases(folds[1:])
    turned = ""
    for crease in reversed(left):
        turned += "M" if crease == "V" else "V"
    return left + folds[0] + turned
