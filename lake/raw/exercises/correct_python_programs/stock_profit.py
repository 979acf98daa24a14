from collections import deque


def stock_profit(trades):
    """Return [profit, pieces left] after trades ["buy" or "sell", pieces,
    price], where the pieces bought first are sold first, and no more of them
    than there are.
    """
    lots = deque()
    profit = 0
    for kind, pieces, price in trades:
        if kind == "buy":
            lots.append([pieces, price])
            continue
        while pieces > 0 and lots:
            sold = min(pieces, lots[0][0])
            profit += sold * (price - lots[0][1])
            pieces -= sold
            lots[0][0] -= sold
            if lots[0][0] == 0:
                lots.popleft()
    return [profit, sum(lot[0] for lot in lots)]
