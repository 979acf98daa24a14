def sow_pits(pits, start):
    """Return the pits after all stones of pit start are put one by one into
    the pits that follow in a circle, always passing over pit start itself."""
    result = list(pits)
    hand = result[start]
    result[start] = 0
    pit = start
    while hand > 0:
        pit = (pit + 1) % len(result)
        if pit != start:
            result[pit] += 1
            hand -= 1
    return result
