def divide_up(amount, size):
    return -(-amount // size)


def floor_tile_boxes(width, length, side, per_box, spare=0):
    """Return how many boxes of per_box square tiles to buy for a floor of
    width by length; lengths are in whole cm. The tiles lie in a grid from
    one corner, a tile that is cut counts as a whole one, and spare percent
    of the tiles, rounded up, come on top.
    """
    tiles = divide_up(width, side) * divide_up(length, side)
    tiles += divide_up(tiles * spare, 100)
    return divide_up(tiles, per_box)
