def category_summary(records, key, field):
    """Group the dicts by their value under key and return rows [value,
    number of records, smallest field, largest field], biggest group first,
    equal groups in order of first appearance; records without the key or
    the field are skipped.
    """
    rows = {}
    for record in records:
        if key not in record or field not in record:
            continue
        group, amount = record[key], record[field]
        if group not in rows:
            rows[group] = [group, 0, amount, amount]
        row = rows[group]
        row[1] += 1
        row[2] = min(row[2], amount)
        row[3] = max(row[3], amount)
    return sorted(rows.values(), key=lambda row: -row[1])
