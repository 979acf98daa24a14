def breadth_first_search(startnode, goalnode):
    frontier = [startnode]
    reached = {startnode}
    while frontier:
        if goalnode in frontier:
            return True
        upcoming = []
        for node in frontier:
            for neighbour in startnode.successors:
                if neighbour not in reached:
                    reached.add(neighbour)
                    upcoming.append(neighbour)
        frontier = upcoming
    return False


"""
Reachability in a directed graph, level by level

Input:
    startnode: the node to set out from; its attribute successors lists
        the nodes to which its edges lead, and so for every node
    goalnode: the node to reach

Output:
    True if a chain of edges, possibly of length 0, leads from startnode
    to goalnode; False otherwise
"""
