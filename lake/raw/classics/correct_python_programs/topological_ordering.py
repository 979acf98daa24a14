def topological_ordering(nodes):
    missing = {node: len(node.incoming_nodes) for node in nodes}
    ready = [node for node in nodes if missing[node] == 0]
    ordered = []
    while ready:
        node = ready.pop(0)
        ordered.append(node)
        for follower in node.outgoing_nodes:
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
    return ordered
