def breadth_first_search(startnode, goalnode):
    frontier = [startnode]
    reached = {startnode}
    while frontier:
        if goalnode in frontier:
            return True
        upcoming = []
        for node in frontier:
            for neighbour in node.successors:
                if neighbour not in reached:
                    reached.add(neighbour)
                    upcoming.append(neighbour)
        frontier = upcoming
    return False
