def mergesort(arr):
    runs = [[number] for number in arr]
    while len(runs) > 1:
        first, second = runs.pop(0), runs.pop(0)
        merged = []
        while first and second:
            source = first if first[0] <= second[0] else second
            merged.append(source.pop(0))
        runs.append(merged + first + second)
    return runs[0] if runs else []
