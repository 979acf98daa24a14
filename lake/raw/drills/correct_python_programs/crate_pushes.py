def crate_pushes(room, moves):
    """Return [pushes, row, column]: how often the keeper "@" has pushed a
    crate "o" in a rectangular room with walls "#" all round, and where he is
    in the end. He goes U, D, L or R onto floor "." or pushes one crate ahead
    of him onto floor behind it; other moves do nothing.
    """
    width = len(room[0])
    steps = {"U": -width, "D": width, "L": -1, "R": 1}
    cells = list("".join(room).replace("@", "."))
    place, pushes = "".join(room).index("@"), 0
    for move in moves:
        ahead = place + steps[move]
        behind = ahead + steps[move]
        if cells[ahead] == "o" and cells[behind] == ".":
            cells[ahead], cells[behind] = ".", "o"
            pushes += 1
        if cells[ahead] == ".":
            place = ahead
    return [pushes, *divmod(place, width)]
