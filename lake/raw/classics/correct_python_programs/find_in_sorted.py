def find_in_sorted(arr, x):
    left = 0
    right = len(arr) - 1
    while left <= right:
        centre = (left + right) // 2
        guess = arr[centre]
        if guess == x:
            return centre
        if guess < x:
            left = centre + 1
        else:
            right = centre - 1
    return -1
