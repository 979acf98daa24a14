def clear_full_rows(rows):
    """Return [new rows, points]: rows without a dot are removed and as many
    rows of dots put on top; the first removed row gives 100 points, each
    further one 100 more than the one before."""
    kept = []
    fresh = []
    points = 0
    for row in rows:
        if "." in row:
            kept.append(row)
        else:
            fresh.append("." * len(row))
            points += 100 * len(fresh)
    return [fresh + kept, points]
