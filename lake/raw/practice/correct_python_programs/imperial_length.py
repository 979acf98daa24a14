UNITS = [("mi", 63360), ("yd", 36), ("ft", 12), ("in", 1)]


def imperial_length(inches):
    """Write a whole number of inches as miles, yards, feet and inches, the
    largest first and zero parts left out ("1 yd 2 in"), with a leading minus
    for a negative length and "0 in" for none.
    """
    if inches < 0:
        return "-" + imperial_length(-inches)
    parts = []
    for name, size in UNITS:
        amount, inches = divmod(inches, size)
        if amount > 0:
            parts.append(f"{amount} {name}")
    return " ".join(parts) or "0 in"
