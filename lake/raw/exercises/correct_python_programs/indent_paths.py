def indent_paths(lines, step=2):
    """Turn an outline, each level indented by step more spaces, into paths
    joined by slashes; blank lines count for nothing.
    """
    stack = []
    paths = []
    for line in lines:
        name = line.strip()
        if not name:
            continue
        level = (len(line) - len(line.lstrip(" "))) // step
        stack = stack[:level]
        stack.append(name)
        paths.append("/".join(stack))
    return paths
