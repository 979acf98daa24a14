def path_parts(path):
    parts = []
    for part in path.split("/"):
        if part == "" or part == ".":
            continue
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return parts
