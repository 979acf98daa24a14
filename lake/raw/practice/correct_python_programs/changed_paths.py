def changed_paths(old, new):
    """List the slash-joined paths at which two nested dicts differ.

    Where both hold a dict only the differences inside it count; a key
    missing on one side is a difference. Keys go in sorted order.
    """
    paths = []
    for key in sorted({**old, **new}):
        if key not in old or key not in new:
            paths.append(key)
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            for tail in changed_paths(old[key], new[key]):
                paths.append(key + "/" + tail)
        elif old[key] != new[key]:
            paths.append(key)
    return paths
