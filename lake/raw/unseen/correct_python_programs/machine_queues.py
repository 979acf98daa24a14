import heapq


def machine_queues(jobs, machines):
    """Return the jobs {name: minutes} of each machine, in the order in which
    they are given out: the longest first, of equally long ones the first by
    name. Each goes to the machine with the least work so far, the lowest
    numbered of several.
    """
    loads = [(0, number) for number in range(machines)]
    queues = [[] for _ in range(machines)]
    for name in sorted(jobs, key=lambda name: (-jobs[name], name)):
        load, number = heapq.heappop(loads)
        queues[number].append(name)
        heapq.heappush(loads, (load + jobs[name], number))
    return queues
