def histogram(values, width=10):
    counts = {}
    for value in values:
        bucket = value // width * width
        counts[bucket] = counts.get(bucket, 0) + 1
    lines = []
    for bucket in sorted(counts):
        bar = "#" * counts[bucket]
        lines.append(f"{bucket}: {bar}")
    return lines
