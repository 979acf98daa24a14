def shunting_yard(tokens):
    rank = {'+': 1, '-': 1, '*': 2, '/': 2}
    output = []
    waiting = []
    for token in tokens:
        if token not in rank:
            output.append(token)
            continue
        while waiting and rank[waiting[-1]] >= rank[token]:
            output.append(waiting.pop())
        waiting.append(token)
    return output + waiting[::-1]
