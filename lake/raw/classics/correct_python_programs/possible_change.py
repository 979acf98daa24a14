def possible_change(coins, total):
    ways = [0] * (total + 1)
    ways[0] = 1
    for coin in coins:
        for amount in range(coin, total + 1):
            ways[amount] += ways[amount - coin]
    return ways[total]
