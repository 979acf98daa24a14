def typo_kind(wanted, typed):
    """Name the slip that turned the wanted word into the typed one: "missing"
    (a letter left out), "extra" (a letter added), "wrong" (a letter replaced)
    or "swapped" (two neighbours exchanged); "none" for equal words and
    "other" if it takes more than one slip.
    """
    if wanted == typed:
        return "none"
    start = 0
    while wanted[start:start + 1] == typed[start:start + 1]:
        start += 1
    rest, found = wanted[start:], typed[start:]
    if rest[1:] == found:
        return "missing"
    if rest == found[1:]:
        return "extra"
    if rest[1:] == found[1:]:
        return "wrong"
    return "swapped" if rest[1::-1] + rest[2:] == found else "other"
