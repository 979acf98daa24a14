def staff_sizes(managers):
    """Return, for {worker: manager or None}, how many people each one leads
    directly or through others.
    """
    team = {}
    for worker, manager in managers.items():
        team.setdefault(worker, [])
        if manager is not None:
            team.setdefault(manager, []).append(worker)
    sizes = {}

    def count(name):
        if name not in sizes:
            sizes[name] = sum(1 + count(worker) for worker in team[name])
        return sizes[name]

    for name in team:
        count(name)
    return sizes
