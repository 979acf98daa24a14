def longest_run(items):
    best = 0
    current = 0
    previous = None
    for item in items:
        if previous is not None and item == previous:
            current += 1
        else:
            current = 1
        best = max(best, current)
        previous = item
    return best
