def backoff_waits(first, cap, budget, tries):
    """Return the seconds to wait before each retry of a call: the first wait,
    then each twice the one before, but none longer than the cap, and not more
    of them than tries. No wait begins that would make all of them together
    longer than the budget.
    """
    waits = []
    wait = min(first, cap)
    while len(waits) < tries and wait <= budget:
        waits.append(wait)
        budget -= wait
        wait = min(wait * 2, cap)
    return waits
