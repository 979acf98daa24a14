def depth_first_search(startnode, goalnode):
    stack = [startnode]
    visited = set()
    while stack:
        node = stack.pop()
        if node is goalnode:
            return True
        if node not in visited:
            visited.add(node)
            stack.extend(node.successors)
    return False
