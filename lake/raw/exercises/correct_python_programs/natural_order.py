import re


def natural_key(name):
    pieces = re.split(r"(\d+)", name.lower())
    for index in range(1, len(pieces), 2):
        pieces[index] = int(pieces[index])
    return pieces


def natural_order(names, folders_first=False):
    """Sort names without regard to case, with numbers in them by value, and
    on demand names that end with a slash before all others.
    """
    ordered = sorted(names, key=natural_key)
    if folders_first:
        ordered.sort(key=lambda name: not name.endswith("/"))
    return ordered
