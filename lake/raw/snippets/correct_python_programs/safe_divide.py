def safe_divide(numerator, denominator, fallback=None):
    try:
        quotient = numerator / denominator
    except ZeroDivisionError:
        return fallback
    return round(quotient, 4)
