import heapq


def best_scores(scores, count):
    """Return the names with the count highest scores, the highest first, and
    the earlier name in the alphabet first where scores are the same.
    """
    ranked = [(-score, name) for name, score in scores.items()]
    return [name for _, name in heapq.nsmallest(count, ranked)]
