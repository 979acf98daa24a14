def apply(sign, left, right):
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    return left * right


def left_to_right(text):
    """Return the value of whole numbers joined by +, - and *, worked out
    strictly from left to right without precedence; spaces are ignored."""
    total, number, sign = 0, 0, "+"
    for char in text + "=":
        if char.isdigit():
            number = 10 * number + int(char)
        elif char != " ":
            total = apply(sign, total, number)
            sign, number = char, 0
    return total
