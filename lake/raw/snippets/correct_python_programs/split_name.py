def split_name(full_name):
    parts = full_name.split()
    if not parts:
        return {"first": "", "last": ""}
    first = parts[0]
    last = parts[-1] if len(parts) > 1 else ""
    return {"first": first, "last": last}
