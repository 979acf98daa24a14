def first_missing(numbers):
    seen = set(numbers)
    candidate = 1
    while candidate in seen:
        candidate += 1
    return candidate
