from fractions import Fraction


def usable_gears(rings, sprockets):
    """Return the gears [ring, sprocket] of a bicycle, given the teeth of its
    rings and sprockets, by rising ratio ring / sprocket, equal ratios by
    ring. With two or more rings, leave out the largest ring with the largest
    sprocket and the smallest ring with the smallest one.
    """
    gears = [[ring, sprocket] for ring in rings for sprocket in sprockets]
    if len(rings) > 1:
        crossed = [[max(rings), max(sprockets)], [min(rings), min(sprockets)]]
        gears = [gear for gear in gears if gear not in crossed]
    return sorted(gears, key=lambda gear: (Fraction(*gear), gear[0]))
