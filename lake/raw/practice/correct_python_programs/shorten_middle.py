def shorten_middle(text, limit):
    """Cut a text longer than limit to that length by three dots in place of
    its middle, keeping at most one letter more in front than behind; under a
    limit of 5 keep just the beginning, without dots."""
    if len(text) <= limit:
        return text
    if limit < 5:
        return text[:limit]
    room = limit - 3
    tail = room // 2
    head = room - tail
    return text[:head] + "..." + text[-tail:]
