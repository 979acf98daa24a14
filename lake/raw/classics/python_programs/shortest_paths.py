def shortest_paths(source, weight_by_edge):
    cost = {node: float('inf') for edge in weight_by_edge for node in edge}
    cost[source] = 0
    changed = True
    while changed:
        changed = False
        for (tail, head), weight in weight_by_edge.items():
            if cost[tail] + weight < cost[head]:
                cost[head] = cost[tail] + weight
    return cost


"""
Cheapest ways from one node, negative weights allowed

Input:
    source: the node to set out from, any hashable value
    weight_by_edge: a dict from pairs (u, v), the directed edges, to their
        weights; no cycle has a negative total

Output:
    A dict from every node of the graph to the smallest total weight of a
    way from source to it: 0 for source, infinity where there is no way
"""
