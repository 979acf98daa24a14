def flow_shop_order(jobs):
    """Return [names, total minutes] for jobs [name, washing, drying] that all
    go through one washer and then one dryer in the same order. First come
    those with less washing than drying, by rising washing, then the others
    by falling drying; equal ones stay as given.
    """
    front = [job for job in jobs if job[1] < job[2]]
    back = [job for job in jobs if job[1] >= job[2]]
    front.sort(key=lambda job: job[1])
    back.sort(key=lambda job: -job[2])
    washed = dried = 0
    for _, washing, drying in front + back:
        washed += washing
        dried = max(washed, dried) + drying
    return [[job[0] for job in front + back], dried]
