def rate_limit(times, limit, window):
    """For requests at rising times say of each whether it is let through: it
    is if fewer than limit requests were let through in the window seconds
    before it (one exactly window seconds ago no longer counts)."""
    passed = []
    oldest = 0
    answers = []
    for time in times:
        while oldest < len(passed) and passed[oldest] <= time - window:
            oldest += 1
        allowed = len(passed) - oldest < limit
        if allowed:
            passed.append(time)
        answers.append(allowed)
    return answers
