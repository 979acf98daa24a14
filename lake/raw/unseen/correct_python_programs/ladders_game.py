def ladders_game(rolls, jumps, last):
    """Return the squares where a player stands after each roll, from square 0
    on: what goes beyond the last square is walked back from it, and jumps
    [from, to] take the player up or down once. The last square ends the
    game.
    """
    leads = {start: end for start, end in jumps}
    squares = []
    square = 0
    for roll in rolls:
        square += roll
        if square > last:
            square = 2 * last - square
        square = leads.get(square, square)
        squares.append(square)
        if square == last:
            break
    return squares
