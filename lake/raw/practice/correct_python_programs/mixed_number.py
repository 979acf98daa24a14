from math import gcd


def mixed_number(top, bottom):
    """Write the fraction top / bottom as a mixed number in lowest terms, such
    as "-1 2/3", "5/6" or "4"; return "undefined" when bottom is 0.
    """
    if bottom == 0:
        return "undefined"
    sign = "-" if top * bottom < 0 else ""
    whole, rest = divmod(abs(top), abs(bottom))
    if rest == 0:
        return f"{sign}{whole}"
    common = gcd(rest, bottom)
    part = f"{rest // common}/{abs(bottom) // common}"
    if whole == 0:
        return sign + part
    return f"{sign}{whole} {part}"
