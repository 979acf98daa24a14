def powerset(arr):
    subsets = []
    for mask in range(2 ** len(arr)):
        subset = [x for i, x in enumerate(arr) if mask >> i & 1]
        subsets.append(subset)
    return subsets
