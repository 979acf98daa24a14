def is_valid_parenthesization(parens):
    open_count = 0
    for symbol in parens:
        if symbol == '(':
            open_count += 1
        elif open_count < 0:
            return False
        else:
            open_count -= 1
    return open_count == 0


"""
Are the brackets balanced?

Input:
    parens: a str of the characters '(' and ')', possibly empty

Output:
    True if every bracket has its partner: each ')' closes a '(' that
    stands before it, and none stays open; False otherwise

Examples:
    >>> is_valid_parenthesization('()(())')
    True
    >>> is_valid_parenthesization('())(')
    False
"""
