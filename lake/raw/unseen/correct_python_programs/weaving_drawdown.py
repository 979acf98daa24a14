def weaving_drawdown(threading, tieup, treadling):
    """Return the rows of a weave as text, "#" where a warp thread lies on top
    and "." where it does not: threading holds the shaft of each thread,
    tieup the shafts that each treadle, numbered from 1, raises, and
    treadling the treadles stepped on at once for each row.
    """
    rows = []
    for treadles in treadling:
        raised = set()
        for treadle in treadles:
            raised.update(tieup[treadle - 1])
        row = ""
        for shaft in threading:
            row += "#" if shaft in raised else "."
        rows.append(row)
    return rows
