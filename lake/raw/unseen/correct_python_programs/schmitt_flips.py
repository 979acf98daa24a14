def schmitt_flips(samples, low, high):
    """Return the places at which the output of a switch changes that is off
    at first, goes on with a sample above high, and off with one below low.
    """
    flips = []
    on = False
    for place, sample in enumerate(samples):
        flip = sample < low if on else sample > high
        if flip:
            flips.append(place)
            on = not on
    return flips
