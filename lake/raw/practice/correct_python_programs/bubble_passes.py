def bubble_passes(values):
    """Bubble sort a copy into rising order from left to right and return
    [passes, swaps], not counting the last pass, which swaps nothing."""
    row = list(values)
    passes = 0
    swaps = 0
    moved = True
    while moved:
        moved = False
        for right in range(1, len(row) - passes):
            if row[right - 1] > row[right]:
                row[right - 1], row[right] = row[right], row[right - 1]
                swaps += 1
                moved = True
        if moved:
            passes += 1
    return [passes, swaps]
