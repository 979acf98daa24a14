from operator import itemgetter


def sort_records(records, keys):
    """Return records sorted by the first of keys, then the second, and so
    on; a key with a minus before it sorts from the highest down.
    """
    ordered = list(records)
    for key in reversed(keys):
        falling = key.startswith("-")
        ordered.sort(key=itemgetter(key.lstrip("-")), reverse=falling)
    return ordered
