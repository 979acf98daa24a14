def subsequences(a, b, k):
    if k == 0:
        return [[]]
    if a >= b:
        return []
    taken = [[a] + tail for tail in subsequences(a + 1, b, k - 1)]
    skipped = subsequences(a + 1, b, k)
    return taken + skipped
