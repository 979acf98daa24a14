import operator


def rpn_eval(tokens):
    actions = {
        '+': operator.add,
        '-': operator.sub,
        '*': operator.mul,
        '/': operator.floordiv,
    }
    stack = []
    for token in tokens:
        if token in actions:
            right = stack.pop()
            left = stack.pop()
            stack.append(actions[token](left, right))
        else:
            stack.append(token)
    return stack.pop()


"""
Calculator for reverse Polish notation

An operator stands after its two operands, so 7 - 2 is written 7 2 -.

Input:
    tokens: a list of floats and of the operators '+', '-', '*' and '/',
        a valid expression

Output:
    A float, the value of the expression

Examples:
    >>> rpn_eval([7.0, 2.0, '-'])
    5.0
    >>> rpn_eval([1.0, 4.0, '/'])
    0.25
"""
