from collections import Counter


def shortest_cover(words, wanted):
    """Return [first, last] place of the shortest run of words with all the
    one or more wanted in it, each as often as it is wanted, the earliest of
    equals, or None.
    """
    missing = Counter(wanted)
    open_words = len(wanted)
    best = None
    start = 0
    for end, word in enumerate(words):
        if missing[word] > 0:
            open_words -= 1
        missing[word] -= 1
        while open_words == 0:
            if best is None or end - start < best[1] - best[0]:
                best = [start, end]
            missing[words[start]] += 1
            if missing[words[start]] > 0:
                open_words += 1
            start += 1
    return best
