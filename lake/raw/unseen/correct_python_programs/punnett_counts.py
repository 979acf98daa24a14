from itertools import product


def punnett_counts(mother, father):
    """Return how many ways lead to each genotype of a child, sorted by
    genotype, if it gets either letter of each gene, two letters in a row as
    in "AaBb", from both parents. Within a gene the capital is written first.
    """
    genes = []
    for place in range(0, len(mother), 2):
        pairs = product(mother[place:place + 2], father[place:place + 2])
        genes.append(["".join(sorted(pair)) for pair in pairs])
    counts = {}
    for child in product(*genes):
        name = "".join(child)
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))
