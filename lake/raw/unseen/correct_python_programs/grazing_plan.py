def grazing_plan(grass, days, eats, grows, most):
    """Return [paddocks, grass left] for a herd that each day goes to the
    paddock, counted from 0, with most grass, the first of equal ones, and
    eats so much there or all, while the others grow by grows to no more
    than most.
    """
    left = list(grass)
    paddocks = []
    for _ in range(days):
        chosen = left.index(max(left))
        paddocks.append(chosen)
        for index, amount in enumerate(left):
            if index == chosen:
                left[index] = max(0, amount - eats)
            else:
                left[index] = min(most, amount + grows)
    return [paddocks, left]
