def hoist_flags(word):
    """Spell a word with only one flag on board for each letter: a letter used
    before is replaced by the position, counted from 1, where it first stands.
    Only the flags 1, 2 and 3 exist for that, each once; return None if this
    is not enough.
    """
    hoist = ""
    for letter in word:
        if letter not in hoist:
            hoist += letter
            continue
        position = hoist.index(letter) + 1
        if position > 3 or str(position) in hoist:
            return None
        hoist += str(position)
    return hoist
