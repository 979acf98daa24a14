import heapq


def kheapsort(arr, k):
    window = []
    for number in arr:
        heapq.heappush(window, number)
        if len(window) > k:
            yield heapq.heappop(window)
    while window:
        yield heapq.heappop(window)
