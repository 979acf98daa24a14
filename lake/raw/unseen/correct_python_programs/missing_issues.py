def missing_issues(held, issues):
    """Return [volume, numbers] for each volume of a periodical with gaps, from
    the first issue [volume, number] that is held to the last, where a volume
    has so many issues, numbered from 1; for a volume of which none is there
    the numbers are "all".
    """
    if not held:
        return []
    first, last = min(held), max(held)
    gaps = []
    for volume in range(first[0], last[0] + 1):
        there = [number for found, number in held if found == volume]
        start = first[1] if volume == first[0] else 1
        end = last[1] if volume == last[0] else issues
        if not there:
            gaps.append([volume, "all"])
            continue
        lost = [n for n in range(start, end + 1) if n not in there]
        if lost:
            gaps.append([volume, lost])
    return gaps
