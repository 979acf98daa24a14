def resistor_code(milliohms):
    """Return the code for a resistance on a circuit diagram, such as "4K7" or
    "R47": its digits, where the letter of the unit stands in place of the
    point, R for ohms, K for thousands and M for millions, the largest that is
    not above it, or R. Zeros at the end of the part after it are left out.
    """
    unit, letter = 1000, "R"
    for bigger, name in ((10 ** 6, "K"), (10 ** 9, "M")):
        if milliohms >= bigger:
            unit, letter = bigger, name
    whole, part = divmod(milliohms, unit)
    digits = str(unit + part)[1:].rstrip("0")
    if whole == 0 and digits:
        return letter + digits
    return f"{whole}{letter}{digits}"
