import operator


def rpn_eval(tokens):
    actions = {
        '+': operator.add,
        '-': operator.sub,
        '*': operator.mul,
        '/': operator.truediv,
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
