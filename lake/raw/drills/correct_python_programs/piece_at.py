def piece_at(placement, square):
    """Return the piece on a square like "e4", as "white Q" (from a capital
    letter) or "black P" (from a small one), or None if it is empty. The
    placement gives rank 8 first, then "/" before each next rank; in a rank,
    from file a on, digits stand for that many empty squares.
    """
    ahead = "abcdefgh".index(square[0])
    for mark in placement.split("/")[8 - int(square[1])]:
        if mark.isdigit():
            ahead -= int(mark)
        elif ahead == 0:
            colour = "white" if mark.isupper() else "black"
            return f"{colour} {mark.upper()}"
        else:
            ahead -= 1
    return None
