def levenshtein(source, target):
    previous = list(range(len(target) + 1))
    for i, left in enumerate(source, 1):
        current = [i]
        for j, right in enumerate(target, 1):
            swap = previous[j - 1] + (left != right)
            current.append(min(swap, previous[j] + 1, current[j - 1] + 1))
        previous = current
    return previous[-1]
