import heapq
from itertools import count


def shortest_path_length(length_by_edge, startnode, goalnode):
    ticket = count()
    queue = [(0, next(ticket), startnode)]
    settled = set()
    while queue:
        distance, _, node = heapq.heappop(queue)
        if node is goalnode:
            return distance
        if node in settled:
            continue
        settled.add(node)
        for neighbour in node.successors:
            total = distance + length_by_edge[node, neighbour]
            heapq.heappush(queue, (total, next(ticket), neighbour))
    return float('inf')
