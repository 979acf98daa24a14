def knapsack(capacity, items):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(weight, capacity + 1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]


"""
Most valuable load of a knapsack

Each item may be packed once or not at all.

Input:
    capacity: an int, the largest total weight that can be carried
    items: a list of pairs (weight, value) of ints, each weight at least 1

Output:
    The largest total value of items that fit together

Examples:
    >>> knapsack(5, [(2, 3), (3, 4), (4, 6)])
    7
    >>> knapsack(4, [(2, 5)])
    5
"""
