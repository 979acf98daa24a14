from itertools import combinations


def tasting_pairs(prices, budget):
    """Return the pairs of wines, by name, that together cost at most budget,
    the dearest pair first, and by name where two cost the same.
    """
    pairs = []
    for first, second in combinations(sorted(prices), 2):
        cost = prices[first] + prices[second]
        if cost <= budget:
            pairs.append([-cost, first, second])
    return [[first, second] for _, first, second in sorted(pairs)]
