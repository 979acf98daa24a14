def dose_log(planned, taken, grace, window):
    """Say for each planned minute how its dose, the first one taken within
    window minutes of it that was not counted before, came: "ok" if within
    grace minutes, else "early" or "late", or "missed" if there is none. Both
    lists of minutes rise.
    """
    left = list(taken)
    log = []
    for due in planned:
        near = [minute for minute in left if abs(minute - due) <= window]
        if not near:
            log.append("missed")
            continue
        left.remove(near[0])
        if abs(near[0] - due) <= grace:
            log.append("ok")
        else:
            log.append("late" if near[0] > due else "early")
    return log
