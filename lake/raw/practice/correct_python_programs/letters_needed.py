def letters_needed(sign, tiles):
    """Return, in alphabetical order, the lower-case letters still missing to
    lay the sign with the tiles, each used once; case does not matter and
    spaces need no tile."""
    have = {}
    for tile in tiles.lower():
        have[tile] = have.get(tile, 0) + 1
    needed = []
    for letter in sign.lower():
        if have.get(letter, 0) > 0:
            have[letter] -= 1
        elif letter != " ":
            needed.append(letter)
    return "".join(sorted(needed))
