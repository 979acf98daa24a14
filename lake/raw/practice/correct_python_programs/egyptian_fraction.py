def egyptian_fraction(top, bottom):
    """Split the positive or zero fraction top / bottom greedily into whole
    number and unit fractions: return the whole part followed by the
    denominators, each the smallest whose unit fraction still fits.
    """
    whole, rest = divmod(top, bottom)
    result = [whole]
    while rest > 0:
        unit = -(-bottom // rest)
        result.append(unit)
        rest = rest * unit - bottom
        bottom *= unit
    return result
