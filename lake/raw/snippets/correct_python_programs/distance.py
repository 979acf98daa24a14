import math


def distance(first, second):
    total = 0
    for left, right in zip(first, second):
        total += (left - right) ** 2
    return round(math.sqrt(total), 6)
