def left_join(left, right, key):
    """Return each record of left completed by every record of right with the
    same key, or by None where there is none; left's own values stay.
    """
    fields = sorted({field for record in right for field in record})
    partners = {}
    for record in right:
        partners.setdefault(record[key], []).append(record)
    joined = []
    for record in left:
        blank = dict.fromkeys(fields)
        for partner in partners.get(record[key], [blank]):
            joined.append({**partner, **record})
    return joined
