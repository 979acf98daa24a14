def bingo_turn(card, calls):
    """Return after how many calls a row, column or diagonal of the square card
    is full for the first time, or None when that never happens."""
    size = len(card)
    lines = [list(row) for row in card]
    lines += [list(column) for column in zip(*card)]
    lines.append([card[i][i] for i in range(size)])
    lines.append([card[i][size - 1 - i] for i in range(size)])
    called = set()
    for turn, number in enumerate(calls, start=1):
        called.add(number)
        if any(called.issuperset(line) for line in lines):
            return turn
    return None
