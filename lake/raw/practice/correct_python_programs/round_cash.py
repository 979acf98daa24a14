from decimal import ROUND_HALF_UP, Decimal


def round_cash(prices, unit):
    """Return the sum of prices, texts like "1.25", rounded to a multiple of
    unit as a till does it, half up, with two digits.
    """
    total = sum((Decimal(price) for price in prices), Decimal("0"))
    units = total / Decimal(unit)
    whole = units.quantize(Decimal("1"), rounding=ROUND_HALF_UP)
    return str((whole * Decimal(unit)).quantize(Decimal("0.01")))
