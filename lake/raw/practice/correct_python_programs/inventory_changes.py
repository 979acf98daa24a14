def inventory_changes(before, after):
    """Compare two dicts from item name to count, a missing item counting as
    zero, and return [name, difference] for each item whose count changed,
    sorted by falling size of the change (sign ignored), then by name.
    """
    changes = []
    for name in sorted(set(before) | set(after)):
        difference = after.get(name, 0) - before.get(name, 0)
        if difference != 0:
            changes.append([name, difference])
    changes.sort(key=lambda change: (-abs(change[1]), change[0]))
    return changes
