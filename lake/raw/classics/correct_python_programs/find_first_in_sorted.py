def find_first_in_sorted(arr, x):
    low, high = 0, len(arr)
    while low < high:
        middle = (low + high) // 2
        if arr[middle] < x:
            low = middle + 1
        else:
            high = middle
    if low < len(arr) and arr[low] == x:
        return low
    return -1
