def slide_tiles(row):
    """Slide the tiles of a row to the left over the zeros, where two equal
    tiles that meet become one of twice the value, and each merges only once.
    """
    moved = []
    can_merge = False
    for tile in row:
        if tile == 0:
            continue
        if can_merge and moved[-1] == tile:
            moved[-1] *= 2
            can_merge = False
        else:
            moved.append(tile)
            can_merge = True
    return moved + [0] * (len(row) - len(moved))
