def change_flags(flags, change):
    """Return the flag letters, sorted, after a change such as "+rw-x": letters
    after + are set, after - cleared, after ! flipped, and = first clears all
    and then sets; letters before any sign are set."""
    current = set(flags)
    mode = "+"
    for char in change:
        if char in "+-!=":
            mode = char
            if mode == "=":
                current.clear()
        elif mode == "-" or mode == "!" and char in current:
            current.discard(char)
        else:
            current.add(char)
    return "".join(sorted(current))
