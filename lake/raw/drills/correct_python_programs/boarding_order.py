def boarding_order(seats, depth):
    """Return seats like '12C' as they board: in blocks of depth rows, counted
    from row 1, the block at the rear (high rows) first; in a block windows
    A and F before B and E before C and D, any other letters last; among
    those the higher row first, then by letter.
    """
    def rank(seat):
        row, letter = int(seat[:-1]), seat[-1]
        try:
            layer = "AFBECD".index(letter) // 2
        except ValueError:
            layer = 3
        block = (row - 1) // depth
        return -block, layer, -row, letter

    return sorted(seats, key=rank)
