def minimum_spanning_tree(weight_by_edge):
    parent = {}

    def root(node):
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    tree = set()
    for edge in sorted(weight_by_edge, key=weight_by_edge.get):
        first, second = root(edge[0]), root(edge[1])
        if first != second:
            parent[edge[0]] = second
            tree.add(edge)
    return tree


"""
Cheapest set of edges that joins all nodes

Takes the edges from the lightest to the heaviest and keeps those that join
two parts that were apart; every part is a tree of parent links.

Input:
    weight_by_edge: a dict from pairs (u, v), the edges of a connected
        undirected graph, to their weights

Output:
    The set of the edges kept, as they are written in weight_by_edge
"""
