def paint_ways(posts, colours):
    """Count the ways to paint a row of posts with the given number of
    colours so that no three posts in a row have the same colour.
    """
    if posts == 0:
        return 1
    same = 0
    different = colours
    for _ in range(posts - 1):
        both = same + different
        same = different
        different = both * (colours - 1)
    return same + different
