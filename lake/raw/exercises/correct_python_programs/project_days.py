def project_days(tasks):
    """Return the fewest days in which tasks {name: [days, names before it]}
    can be done side by side, or None if some wait for each other.
    """
    finish = {}
    waiting = set()

    def finished(name):
        if name in finish:
            return finish[name]
        if name in waiting:
            raise ValueError(f"{name} waits for itself")
        waiting.add(name)
        days, earlier = tasks[name]
        start = max((finished(other) for other in earlier), default=0)
        finish[name] = start + days
        return finish[name]

    try:
        return max((finished(name) for name in tasks), default=0)
    except ValueError:
        return None
