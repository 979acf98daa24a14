def merge_counts(first, second):
    merged = dict(first)
    for key, count in second.items():
        if key not in merged:
            merged[key] = 0
        merged[key] += count
    return merged
