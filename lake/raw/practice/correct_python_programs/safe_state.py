def safe_state(free, held, needed):
    """Return an order in which all tasks can finish, always the first
    able one by number, or None: a task is able when all it still needs is
    free, and once finished it sets free all that it held."""
    free = list(free)
    waiting = list(range(len(held)))
    order = []
    while waiting:
        able = [task for task in waiting
                if all(n <= f for n, f in zip(needed[task], free))]
        if not able:
            return None
        task = able[0]
        free = [f + h for f, h in zip(free, held[task])]
        waiting.remove(task)
        order.append(task)
    return order
