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
            parent[first] = second
            tree.add(edge)
    return tree
