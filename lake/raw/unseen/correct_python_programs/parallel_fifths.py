def parallel_fifths(upper, lower):
    """Return the indices of the notes that two voices, lists of pitches in
    half tones, reach in a forbidden way: by moving in the same direction
    from a fifth (7) to a fifth or from an octave (0) to an octave, where
    whole octaves (12) between the voices are left out.
    """
    gaps = [(high - low) % 12 for high, low in zip(upper, lower)]
    forbidden = []
    for index in range(1, len(gaps)):
        if gaps[index] not in (0, 7) or gaps[index] != gaps[index - 1]:
            continue
        rise = upper[index] - upper[index - 1]
        if rise * (lower[index] - lower[index - 1]) > 0:
            forbidden.append(index)
    return forbidden
