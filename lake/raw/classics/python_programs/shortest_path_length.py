import heapq
from itertools import count


def shortest_path_length(length_by_edge, startnode, goalnode):
    ticket = count()
    queue = [(0, next(ticket), startnode)]
    settled = set()
    while queue:
        distance, _, node = queue.pop()
        if node is goalnode:
            return distance
        if node in settled:
            continue
        settled.add(node)
        for neighbour in node.successors:
            total = distance + length_by_edge[node, neighbour]
            heapq.heappush(queue, (total, next(ticket), neighbour))
    return float('inf')


"""
Length of the shortest way between two nodes

Input:
    length_by_edge: a dict from pairs (node, successor) to the length of
        that edge, a number above 0
    startnode: the node to set out from; its attribute successors lists
        the nodes to which its edges lead, and so for every node
    goalnode: the node to reach

Output:
    The smallest total length of edges that lead from startnode to
    goalnode, 0 if they are the same node, infinity if no way exists
"""
