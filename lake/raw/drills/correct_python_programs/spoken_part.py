def spoken_part(line):
    """Return what the actor says of a line in a play: stage directions in
    round brackets, also nested ones, are left out, an unclosed one up to the
    end, as is a closing bracket without an opening one. Words are separated
    by single spaces, with none at the ends.
    """
    spoken = ""
    depth = 0
    for symbol in line:
        if symbol == "(":
            depth += 1
        elif symbol == ")":
            depth = max(depth - 1, 0)
        elif depth == 0:
            spoken += symbol
    return " ".join(spoken.split())
