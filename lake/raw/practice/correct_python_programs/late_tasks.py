def late_tasks(tasks, today):
    """Return the names of tasks finished after their due day or, unfinished
    (done is None), due before today; the latest first, equals by name."""
    late = []
    for task in tasks:
        done = task["done"]
        if done is None:
            done = today
        days = done - task["due"]
        if days > 0:
            late.append((-days, task["name"]))
    late.sort()
    return [entry[1] for entry in late]
