from math import gcd


def ion_formula(metal, charge, rest, minus):
    """Return the formula of a salt of two ions with the given charges, above
    0 and below 0, the fewest of each that cancel out, the positive first. A
    number of 1 is not written, and an ion with several atoms stands in round
    brackets before its number.
    """
    common = gcd(charge, minus)
    formula = ""
    for ion, count in ((metal, -minus // common), (rest, charge // common)):
        atoms = sum(not letter.islower() for letter in ion)
        if count == 1:
            formula += ion
        elif atoms > 1:
            formula += f"({ion}){count}"
        else:
            formula += f"{ion}{count}"
    return formula
