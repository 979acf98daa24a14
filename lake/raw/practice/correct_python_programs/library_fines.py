def library_fines(loans, today, fee, cap):
    """Return a dict from reader to fine for loans [reader, due, returned]:
    each day after the due day costs the fee, at most cap per loan; returned
    is None for a loan still out, which counts up to today. Readers without
    a fine are left out.
    """
    fines = {}
    for reader, due, returned in loans:
        end = today if returned is None else returned
        late = end - due
        if late <= 0:
            continue
        fine = min(late * fee, cap)
        if fine:
            fines[reader] = fines.get(reader, 0) + fine
    return fines
