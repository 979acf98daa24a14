from collections import deque


def round_robin(jobs, turn):
    """Run jobs, given as [name, work], in turns of at most the given length,
    an unfinished job going to the back of the queue; return [name, time] in
    the order in which they finish."""
    queue = deque(jobs)
    clock = 0
    finished = []
    while queue:
        name, work = queue.popleft()
        spent = min(work, turn)
        clock += spent
        if work > spent:
            queue.append([name, work - spent])
        else:
            finished.append([name, clock])
    return finished
