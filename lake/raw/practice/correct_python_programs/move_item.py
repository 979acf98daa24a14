def move_item(items, source, target):
    """Return a copy with the item at index source moved to index target;
    negative indices count from the end, a source outside the list changes
    nothing, and a target outside means the nearest end."""
    size = len(items)
    if source < 0:
        source += size
    if target < 0:
        target += size
    if not 0 <= source < size:
        return list(items)
    target = max(0, min(target, size - 1))
    rest = items[:source] + items[source + 1:]
    return rest[:target] + [items[source]] + rest[target:]
