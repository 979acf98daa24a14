from itertools import product


def shortest_path_lengths(n, length_by_edge):
    lengths = dict.fromkeys(product(range(n), repeat=2), float('inf'))
    lengths.update(length_by_edge)
    lengths.update({(i, i): 0 for i in range(n)})
    for i, j, via in product(range(n), repeat=3):
        detour = lengths[i, via] + lengths[via, j]
        lengths[i, j] = min(lengths[i, j], detour)
    return lengths


"""
Shortest ways between all pairs of nodes

Lets the ways run through one more intermediate node at a time.

Input:
    n: an int, the number of nodes; the nodes are the ints from 0 to n - 1
    length_by_edge: a dict from pairs (i, j) of different nodes to the
        length of the edge from i to j; lengths may be negative, but no
        cycle has a negative total

Output:
    A dict from every pair (i, j) to the length of the shortest way from i
    to j: 0 where i is j, infinity where there is no way
"""
