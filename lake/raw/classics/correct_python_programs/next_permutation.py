def next_permutation(perm):
    perm = list(perm)
    i = len(perm) - 2
    while perm[i] > perm[i + 1]:
        i -= 1
    j = len(perm) - 1
    while perm[j] < perm[i]:
        j -= 1
    perm[i], perm[j] = perm[j], perm[i]
    return perm[:i + 1] + perm[:i:-1]
