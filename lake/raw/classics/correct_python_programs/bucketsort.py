def bucketsort(arr, k):
    tally = [0] * k
    for number in arr:
        tally[number] += 1
    ordered = list(arr)
    position = 0
    for number in range(k):
        for _ in range(tally[number]):
            ordered[position] = number
            position += 1
    return ordered
