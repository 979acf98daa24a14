def dive_total(dives):
    """Return the total, to two digits, of dives [difficulty, marks]: of each
    dive's marks the highest and the lowest are left out until three or fewer
    are left, whose sum times the difficulty counts; a dive that three or
    more of the judges give a 0 counts nothing.
    """
    total = 0.0
    for difficulty, marks in dives:
        if marks.count(0) >= 3:
            continue
        kept = sorted(marks)
        while len(kept) > 3:
            kept = kept[1:-1]
        total += difficulty * sum(kept)
    return round(total, 2)
