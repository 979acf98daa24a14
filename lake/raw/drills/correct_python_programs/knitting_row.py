STITCHES = {"k": (1, 1), "p": (1, 1), "yo": (0, 1), "tog": (2, 1),
            "inc": (1, 2)}


def knitting_row(pattern, stitches):
    """Return how many stitches a row leaves on the needle, None if it needs
    too many: a word such as "3k" or "k" (once) uses 1 stitch and makes 1 for
    k and p, 0 and 1 for yo, 2 and 1 for tog, 1 and 2 for inc; stitches not
    used stay.
    """
    made = 0
    for word in pattern.split():
        name = word.lstrip("0123456789")
        times = int(word[:-len(name)] or 1)
        uses, makes = STITCHES[name]
        stitches -= times * uses
        made += times * makes
        if stitches < 0:
            return None
    return stitches + made
