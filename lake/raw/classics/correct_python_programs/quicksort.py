def quicksort(arr):
    if len(arr) < 2:
        return list(arr)
    pivot = arr[len(arr) // 2]
    below = [n for n in arr if n < pivot]
    equal = [n for n in arr if n == pivot]
    above = [n for n in arr if n > pivot]
    return quicksort(below) + equal + quicksort(above)
