def issue_blood(stock, requests):
    """Serve the requests, blood types such as "AB+", one after the other from
    a dict of type to number of bags, and return the type each one gets. The
    first of these still in stock is taken: the same type, its letters with
    "-", O with its own sign, O-; if all are gone it gets None.
    """
    left = dict(stock)
    issued = []
    for wanted in requests:
        letters, sign = wanted[:-1], wanted[-1]
        for kind in (wanted, letters + "-", "O" + sign, "O-"):
            if left.get(kind, 0) > 0:
                left[kind] -= 1
                issued.append(kind)
                break
        else:
            issued.append(None)
    return issued
