from fractions import Fraction


def network_ohms(part):
    """Return as text, such as "20/3", the ohms of a part of a circuit: a
    number of ohms, ["row", part, ...] for parts one behind the other, or
    ["side", part, ...] for parts side by side, which has 0 ohms as soon as one
    of them has.
    """
    def ohms(part):
        if not isinstance(part, list):
            return Fraction(part)
        kind, *parts = part
        values = [ohms(inner) for inner in parts]
        if kind == "row":
            return sum(values)
        if 0 in values:
            return 0
        return 1 / sum(1 / value for value in values)

    return str(ohms(part))
