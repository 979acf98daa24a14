def egg_cartons(laid, size):
    """Return [cartons, eggs left over], where each carton of size eggs is
    given as [day of its oldest egg, day of its newest egg] and the eggs laid
    on each day, counted from 1, are packed in the order of laying.
    """
    cartons = []
    eggs = 0
    first = None
    for day, count in enumerate(laid, 1):
        for _ in range(count):
            if eggs == 0:
                first = day
            eggs += 1
            if eggs == size:
                cartons.append([first, day])
                eggs = 0
    return [cartons, eggs]
