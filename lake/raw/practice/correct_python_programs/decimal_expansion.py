def decimal_expansion(top, bottom):
    """Write the fraction top / bottom (bottom positive) as an exact decimal,
    the repeating digits in parentheses: "0.1(6)", "-2.5" or "3".
    """
    sign = "-" if top < 0 else ""
    whole, rest = divmod(abs(top), bottom)
    digits = ""
    seen = {}
    while rest and rest not in seen:
        seen[rest] = len(digits)
        digit, rest = divmod(rest * 10, bottom)
        digits += str(digit)
    if rest:
        start = seen[rest]
        digits = f"{digits[:start]}({digits[start:]})"
    return f"{sign}{whole}" + ("." + digits if digits else "")
