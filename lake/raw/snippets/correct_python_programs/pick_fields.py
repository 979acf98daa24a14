def pick_fields(record, fields, default=0):
    picked = {}
    for field in fields:
        if field in record:
            picked[field] = record[field]
        else:
            picked[field] = default
    return picked
