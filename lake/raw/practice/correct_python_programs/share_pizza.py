from fractions import Fraction


def share_pizza(eaten):
    """Return what is left of a pizza after pieces were eaten, each written
    "1/8", as a fraction in lowest terms; "0" when nothing is left.
    """
    left = Fraction(1)
    for piece in eaten:
        left -= min(left, Fraction(piece))
    return str(left)
