COINS = {"5": 5, "10": 10, "20": 20, "50": 50}


def vending_machine(prices, events):
    """Return what a machine gives out, one list an event: coins add credit,
    "back" returns it, a product is sold if the credit pays it, with change.
    """
    credit = 0
    outputs = []
    for event in events:
        output = []
        if event in COINS:
            credit += COINS[event]
        elif event == "back":
            output = change(credit)
            credit = 0
        elif event in prices and prices[event] <= credit:
            output = [event] + change(credit - prices[event])
            credit = 0
        outputs.append(output)
    return outputs


def change(amount):
    coins = []
    for coin in sorted(COINS.values(), reverse=True):
        coins += [str(coin)] * (amount // coin)
        amount %= coin
    return coins
