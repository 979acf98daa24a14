def retry_waits(first, cap, tries, budget):
    """Return the waits between at most the given number of tries: the first
    wait, then each twice the one before but never above cap, stopping before
    the wait that would bring their sum above budget."""
    waits = []
    wait = min(first, cap)
    left = budget
    while len(waits) < tries - 1 and wait <= left:
        waits.append(wait)
        left -= wait
        wait = min(2 * wait, cap)
    return waits
