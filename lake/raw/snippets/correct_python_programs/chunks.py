def chunks(items, size):
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    parts = []
    for start in range(0, len(items), size):
        parts.append(items[start:start + size])
    return parts
