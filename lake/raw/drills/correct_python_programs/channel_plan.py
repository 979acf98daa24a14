def channel_plan(near, gap):
    """Return {station: channel}: one after the other, those with most near
    stations first and equal ones by name, stations get the lowest channel
    from 1 on that differs by at least gap from the channels which the
    stations near to them, {station: stations}, have by then.
    """
    plan = {}
    for station in sorted(near, key=lambda name: (-len(near[name]), name)):
        taken = [plan[other] for other in near[station] if other in plan]
        channel = 1
        while any(abs(channel - other) < gap for other in taken):
            channel += 1
        plan[station] = channel
    return plan
