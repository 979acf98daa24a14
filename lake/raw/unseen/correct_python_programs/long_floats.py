def long_floats(stitches, limit):
    """Return [colour, stitch, length] for the floats of more than limit
    stitches in a round of colourwork, a text of colour letters: length
    stitches of other colours, also over the end of the round, come after the
    stitch, counted from 0, and before the next one of the same colour. The
    floats are sorted by colour and then by stitch.
    """
    floats = []
    for colour in sorted(set(stitches)):
        used = [i for i, stitch in enumerate(stitches) if stitch == colour]
        following = used[1:] + [used[0] + len(stitches)]
        for stitch, after in zip(used, following):
            length = after - stitch - 1
            if length > limit:
                floats.append([colour, stitch, length])
    return floats
