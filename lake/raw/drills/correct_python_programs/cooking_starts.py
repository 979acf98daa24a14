def cooking_starts(dishes, dinner):
    """List lines such as "17:40 roast" that say when to begin with each of
    the dishes {name: [cooking, resting]}, in minutes, so that all are ready
    at dinner, HH:MM; the earliest first, equals by name. A start before
    midnight is on the day before, and sorted so."""
    hours, minutes = dinner.split(":")
    ready = int(hours) * 60 + int(minutes)
    plan = []
    for name, (cooking, resting) in dishes.items():
        plan.append((ready - cooking - resting, name))
    lines = []
    for start, name in sorted(plan):
        hour, minute = divmod(start % (24 * 60), 60)
        lines.append(f"{hour:02d}:{minute:02d} {name}")
    return lines
