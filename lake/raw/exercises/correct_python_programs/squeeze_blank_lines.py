def squeeze_blank_lines(lines):
    """Drop blank lines at both ends, keep one of every run of them inside,
    and take the spaces off the end of every line.
    """
    kept = []
    waiting = False
    for line in lines:
        if not line.strip():
            waiting = True
            continue
        if waiting and kept:
            kept.append("")
        waiting = False
        kept.append(line.rstrip())
    return kept
