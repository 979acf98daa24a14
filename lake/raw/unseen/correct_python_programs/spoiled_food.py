import heapq


def spoiled_food(shopping):
    """Return, as they go, the names of the food that is thrown away. On each
    day, from 0 on, things [name, last day] are brought, until the shopping
    ends; then what is past its last day is thrown away and one thing is
    eaten, the earliest last day and then the first name before others.
    """
    fridge, thrown = [], []
    day = 0
    while day < len(shopping) or fridge:
        if day < len(shopping):
            for name, last in shopping[day]:
                heapq.heappush(fridge, [last, name])
        while fridge and fridge[0][0] < day:
            thrown.append(heapq.heappop(fridge)[1])
        if fridge:
            heapq.heappop(fridge)
        day += 1
    return thrown
