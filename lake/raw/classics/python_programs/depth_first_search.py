def depth_first_search(startnode, goalnode):
    stack = list(startnode.successors)
    visited = set()
    while stack:
        node = stack.pop()
        if node is goalnode:
            return True
        if node not in visited:
            visited.add(node)
            stack.extend(node.successors)
    return False


"""
Reachability in a directed graph, one branch after the other

Input:
    startnode: the node to set out from; its attribute successors lists
        the nodes to which its edges lead, and so for every node
    goalnode: the node to reach; a node always reaches itself

Output:
    True if goalnode can be reached from startnode along the edges, False
    otherwise
"""
