STEPS = [("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)]


def time_ago(seconds):
    """Tell in the largest unit that fits, from second to day, rounded down,
    how long ago or (if negative) how far ahead something is, or "now".
    """
    distance = abs(seconds)
    for name, size in STEPS:
        count = distance // size
        if count == 0:
            continue
        if count > 1:
            name += "s"
        if seconds > 0:
            return f"{count} {name} ago"
        return f"in {count} {name}"
    return "now"
