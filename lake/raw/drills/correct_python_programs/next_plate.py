LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def next_plate(plate):
    """Return the number plate that follows one such as "AB-129", counted up
    from the right: 9 turns to 0 and Z to A with a carry to the left, the
    letters I, O and Q are never used, dashes stay. Return None for the last.
    """
    places = list(plate)
    for index in reversed(range(len(places))):
        if places[index] == "-":
            continue
        wheel = "0123456789" if places[index].isdigit() else LETTERS
        turned = wheel.index(places[index]) + 1
        if turned < len(wheel):
            places[index] = wheel[turned]
            return "".join(places)
        places[index] = wheel[0]
    return None
