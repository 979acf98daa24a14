COINS = (50, 20, 10, 5, 2, 1)


def change_coins(amount):
    used = {}
    for coin in COINS:
        count = amount // coin
        if count == 0:
            continue
        used[str(coin)] = count
        amount -= coin * count
    return used
