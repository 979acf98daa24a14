def spread_hits(hits, steps, late=0):
    """Return a bar of so many steps as text, "x" for a hit and "." for none,
    with at most steps hits: for numbers from 0 on, a hit's step is its
    number times steps / hits, rounded up, and late more, where what runs
    over the end of the bar begins it.
    """
    bar = ["."] * steps
    for number in range(hits):
        step = -(-number * steps // hits)
        bar[(step + late) % steps] = "x"
    return "".join(bar)
