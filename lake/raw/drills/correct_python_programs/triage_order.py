def triage_order(patients, visit, patience):
    """Return the names of patients [name, arrival, level] as one doctor, free
    from minute 0, sees them for visit minutes each: of those there, the one
    of lowest level, less one after at least patience minutes of waiting; of
    equals the one who came first, then the one listed first."""
    waiting = list(patients)
    now = 0
    order = []

    def urgency(patient):
        _, arrival, level = patient
        return level - (now - arrival >= patience), arrival

    while waiting:
        now = max(now, min(arrival for _, arrival, _ in waiting))
        chosen = min([p for p in waiting if p[1] <= now], key=urgency)
        waiting.remove(chosen)
        order.append(chosen[0])
        now += visit
    return order
