def tablet_plan(dose, strengths, scored):
    """Return [[strength, half tablets]] that give exactly a dose, or None if
    this fails: from the strongest on, as many whole tablets as fit in what is
    left, then half of one if that strength is scored and the half fits.
    Strengths of which none is taken are left out.
    """
    plan = []
    left = 2 * dose
    for strength in sorted(strengths, reverse=True):
        halves = left // (2 * strength) * 2
        left %= 2 * strength
        if strength in scored and left >= strength:
            halves += 1
            left -= strength
        if halves:
            plan.append([strength, halves])
    return plan if left == 0 else None
