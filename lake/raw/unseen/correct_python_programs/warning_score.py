def warning_score(signs, bands):
    """Return [score, level] of a patient with signs {name: value}, None if
    not measured, which counts nothing. The points of a sign are those of the
    first of its bands [limit, points], if any, with a limit not below it; the
    level is "urgent" from 7, else "review" from 5 or with 3 for a sign, or "".
    """
    scores = []
    for name, value in signs.items():
        if value is not None:
            for limit, points in bands[name]:
                if value <= limit:
                    scores.append(points)
                    break
    total = sum(scores)
    if total >= 7:
        return [total, "urgent"]
    return [total, "review" if total >= 5 or 3 in scores else ""]
