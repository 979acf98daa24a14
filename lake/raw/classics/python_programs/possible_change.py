def possible_change(coins, total):
    ways = [0] * (total + 1)
    ways[0] = 1
    for coin in coins:
        for amount in range(coin, total):
            ways[amount] += ways[amount - coin]
    return ways[total]


"""
In how many ways can an amount be paid?

Each coin may be used any number of times. The order of the coins does not
matter, and there is exactly one way to pay nothing: with no coins.

Input:
    coins: a list of distinct ints above 0, possibly empty
    total: an int, the amount, zero or more

Output:
    An int, the number of ways

Examples:
    >>> possible_change([1, 2], 4)
    3
    >>> possible_change([5], 7)
    0
"""
