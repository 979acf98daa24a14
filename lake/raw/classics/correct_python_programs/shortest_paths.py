def shortest_paths(source, weight_by_edge):
    cost = {node: float('inf') for edge in weight_by_edge for node in edge}
    cost[source] = 0
    changed = True
    while changed:
        changed = False
        for (tail, head), weight in weight_by_edge.items():
            if cost[tail] + weight < cost[head]:
                cost[head] = cost[tail] + weight
                changed = True
    return cost
