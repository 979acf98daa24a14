CYCLE = [0, 1, 3, 2]


def knob_position(samples):
    """Return [position, faults] of a knob after its samples, which run through
    0, 1, 3, 2 and again 0 when it turns right: the position, 0 at first, goes
    up by one for each step right and down by one for each step left; a jump
    of two places is a fault and leaves the position alone."""
    position = faults = 0
    for before, after in zip(samples, samples[1:]):
        turn = (CYCLE.index(after) - CYCLE.index(before)) % 4
        if turn == 2:
            faults += 1
        elif turn == 3:
            position -= 1
        else:
            position += turn
    return [position, faults]
