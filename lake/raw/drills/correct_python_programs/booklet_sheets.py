def booklet_sheets(pages):
    """Return for each sheet of a folded booklet, the outermost first, its page
    numbers [front left, front right, back left, back right]. Page 1 is front
    right on the outermost sheet and page 2 behind it; the pages after the
    last one that fill up the four places of a sheet are blank, written 0.
    """
    sheets = (pages + 3) // 4
    low, high = 1, 4 * sheets
    plan = []
    while low < high:
        sides = [high, low, low + 1, high - 1]
        plan.append([page if page <= pages else 0 for page in sides])
        low += 2
        high -= 2
    return plan
