def lis(arr):
    best = []
    for i, value in enumerate(arr):
        best.append(1)
        for j in range(i):
            if arr[j] < value:
                best[i] = max(best[i], best[j] + 1)
    return max(best, default=0)
