def is_valid_parenthesization(parens):
    open_count = 0
    for symbol in parens:
        if symbol == '(':
            open_count += 1
        elif open_count == 0:
            return False
        else:
            open_count -= 1
    return open_count == 0
