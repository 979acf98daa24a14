def dice_span(notation):
    """Return [lowest, highest] total of a throw such as "2d6-d4+3": two dice
    with 6 sides less one with 4 sides plus 3."""
    lowest = highest = 0
    for term in notation.replace("-", "+-").split("+"):
        if not term:
            continue
        count, letter, sides = term.lstrip("-").partition("d")
        low = high = int(count or 1)
        if letter:
            high = low * int(sides)
        if term.startswith("-"):
            low, high = -high, -low
        lowest += low
        highest += high
    return [lowest, highest]
