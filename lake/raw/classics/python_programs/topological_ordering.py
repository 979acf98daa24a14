def topological_ordering(nodes):
    missing = {node: len(node.incoming_nodes) for node in nodes}
    ready = [node for node in nodes if missing[node] == 0]
    ordered = []
    while ready:
        node = ready.pop(0)
        ordered.append(node)
        for follower in node.outgoing_nodes:
            missing[follower] -= 1
            if missing[follower] >= 0:
                ready.append(follower)
    return ordered


"""
Order tasks so that none comes before one it depends on

Input:
    nodes: a list of all nodes of a directed graph without cycles; the
        attributes incoming_nodes and outgoing_nodes of a node list where
        its edges come from and where they lead

Output:
    A list of all nodes, each once and after all of its incoming nodes
"""
