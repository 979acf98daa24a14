def voice_shift(tune, low, high):
    """Return by how many half tones a tune of pitches and rests (None) must
    be moved at least, up or (below zero) down, to lie between low and high,
    both included, or None if it can not; without pitches it is 0.
    """
    pitches = [pitch for pitch in tune if pitch is not None]
    if not pitches:
        return 0
    lowest, highest = min(pitches), max(pitches)
    if highest - lowest > high - low:
        return None
    if lowest < low:
        return low - lowest
    return min(0, high - highest)
