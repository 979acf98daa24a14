def date_bounds(years):
    """Return [from, to] for each letter of a bundle in order of writing: its
    own year twice if it is known, and otherwise (None) that of the nearest
    dated letter before and that of the nearest one after, None where there
    is none.
    """
    earliest = []
    known = None
    for year in years:
        if year is not None:
            known = year
        earliest.append(known)
    bounds = []
    known = None
    for year, start in zip(reversed(years), reversed(earliest)):
        if year is not None:
            known = year
        bounds.append([start, known])
    return bounds[::-1]
