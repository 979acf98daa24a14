def flip_flop_trace(steps):
    """Return the state of a flip-flop, 0 at first, after each of the steps
    [clock, set, reset], all 0 or 1. It only acts when the clock goes from 0,
    which it has at first, to 1: set makes it 1, reset 0, and both turn it
    over.
    """
    trace = []
    state = last = 0
    for clock, up, down in steps:
        if clock > last:
            if up and down:
                state = 1 - state
            elif up or down:
                state = up
        last = clock
        trace.append(state)
    return trace
