JUMPS = [
    (1, 2), (2, 1), (2, -1), (1, -2),
    (-1, -2), (-2, -1), (-2, 1), (-1, 2),
]


def knight_moves(start, goal, size=8, blocked=()):
    """Return the fewest knight's moves from square start to goal, such as
    "b1" to "c3", on a board of that size around blocked squares, or -1.
    """
    ahead = {start}
    seen = {start, *blocked}
    moves = 0
    while ahead:
        if goal in ahead:
            return moves
        moves += 1
        reached = set()
        for square in ahead:
            for right, up in JUMPS:
                column = ord(square[0]) - ord("a") + right
                row = int(square[1]) + up
                if 0 <= column < size and 1 <= row <= size:
                    reached.add(chr(ord("a") + column) + str(row))
        ahead = reached - seen
        seen |= reached
    return -1
