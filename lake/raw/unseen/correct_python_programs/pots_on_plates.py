def pots_on_plates(pots, plates):
    """Return {pot: index of its plate} for pots [name, width], set one after
    the other, the widest first and equal ones in the order given, on the
    narrowest free plate that is at least as wide, the first of equal ones,
    or None.
    """
    free = sorted(range(len(plates)), key=lambda index: plates[index])
    placed = {}
    for name, width in sorted(pots, key=lambda pot: -pot[1]):
        placed[name] = None
        for index in free:
            if plates[index] >= width:
                placed[name] = index
                free.remove(index)
                break
    return placed
