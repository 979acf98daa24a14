def even_decreases(stitches, decreases):
    """Write a knitting row over so many stitches with that many decreases
    "k2tog", which take two stitches each: the plain ones, such as "k5", are
    shared out evenly before the decreases, one more before earlier ones
    where they are not all equal. Too few stitches give None.
    """
    plain = stitches - 2 * decreases
    if plain < 0:
        return None
    if decreases == 0:
        return f"k{stitches}"
    each, more = divmod(plain, decreases)
    words = []
    for number in range(decreases):
        knit = each + 1 if number < more else each
        if knit > 0:
            words.append(f"k{knit}")
        words.append("k2tog")
    return " ".join(words)
