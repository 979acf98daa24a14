def shunting_yard(tokens):
    rank = {'+': 1, '-': 1, '*': 2, '/': 2}
    output = []
    waiting = []
    for token in tokens:
        if token not in rank:
            output.append(token)
            continue
        while waiting and rank[waiting[-1]] > rank[token]:
            output.append(waiting.pop())
        waiting.append(token)
    return output + waiting[::-1]


"""
From infix to reverse Polish notation

Operators of equal rank are applied from left to right; '*' and '/' rank
above '+' and '-'.

Input:
    tokens: a list of ints and of the operators '+', '-', '*' and '/',
        a valid expression without brackets

Output:
    A list of the same tokens in reverse Polish notation, where an
    operator stands right after its two operands

Examples:
    >>> shunting_yard([1, '+', 2, '*', 3])
    [1, 2, 3, '*', '+']
    >>> shunting_yard([8, '/', 4, '/', 2])
    [8, 4, '/', 2, '/']
"""
