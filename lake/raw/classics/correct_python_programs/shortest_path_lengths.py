from itertools import product


def shortest_path_lengths(n, length_by_edge):
    lengths = dict.fromkeys(product(range(n), repeat=2), float('inf'))
    lengths.update(length_by_edge)
    lengths.update({(i, i): 0 for i in range(n)})
    for via, i, j in product(range(n), repeat=3):
        detour = lengths[i, via] + lengths[via, j]
        lengths[i, j] = min(lengths[i, j], detour)
    return lengths
