def sqrt(x, epsilon):
    low, high = 0.0, max(1.0, x)
    while high - low > epsilon:
        middle = (low + high) / 2
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low
