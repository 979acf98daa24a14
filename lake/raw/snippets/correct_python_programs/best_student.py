def best_student(marks):
    best = None
    best_mean = -1
    for name, values in sorted(marks.items()):
        if not values:
            continue
        mean = sum(values) / len(values)
        if mean > best_mean:
            best = name
            best_mean = mean
    return best
