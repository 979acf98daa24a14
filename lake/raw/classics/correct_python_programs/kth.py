def kth(arr, k):
    for candidate in arr:
        lower = sum(1 for other in arr if other < candidate)
        equal = arr.count(candidate)
        if lower <= k < lower + equal:
            return candidate
