def count_matches(rows, key, wanted):
    count = 0
    for row in rows:
        value = row.get(key)
        if value is None:
            continue
        if value == wanted:
            count += 1
    return count
