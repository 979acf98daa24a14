import heapq


def print_queue(jobs, pages):
    """Return the names of the jobs that are printed with so many pages of
    paper: the one with fewest pages first, until one is too long.
    """
    waiting = [(length, name) for name, length in jobs.items()]
    heapq.heapify(waiting)
    printed = []
    while waiting and waiting[0][0] <= pages:
        length, name = heapq.heappop(waiting)
        pages -= length
        printed.append(name)
    return printed
