def divisor_verdict(number):
    """Compare the sum of the proper divisors of a positive number with the
    number: return "perfect" when equal, else "abundant by D" or "deficient
    by D" with the distance D.
    """
    total = 1 if number > 1 else 0
    low = 2
    while low * low <= number:
        if number % low == 0:
            total += low
            if low != number // low:
                total += number // low
        low += 1
    if total == number:
        return "perfect"
    if total > number:
        return f"abundant by {total - number}"
    return f"deficient by {number - total}"
