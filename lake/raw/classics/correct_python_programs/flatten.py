def flatten(arr):
    pending = list(reversed(arr))
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(reversed(item))
        else:
            yield item
