def evaluate_formula(formula, values):
    """Work out a formula: a number, a name that stands in values, or a
    list [sign, part, ...] of at least one formula joined by +, - or *,
    from left to right.
    """
    if not isinstance(formula, list):
        return values.get(formula, formula)
    sign = formula[0]
    result = evaluate_formula(formula[1], values)
    for part in formula[2:]:
        number = evaluate_formula(part, values)
        if sign == "+":
            result += number
        elif sign == "-":
            result -= number
        else:
            result *= number
    return result
