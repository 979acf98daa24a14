STEPS = {0: "do", 2: "re", 4: "mi", 5: "fa", 7: "so", 9: "la", 11: "ti"}


def solfa_syllables(pitches, tonic):
    """Return the sol-fa syllables of pitches, numbers of half tones, in the
    major key on the tonic, with "#" after the lower one for a tone between
    two of them; each octave above that of the tonic adds a "+", and each one
    below it a "-".
    """
    words = []
    for pitch in pitches:
        octave, step = divmod(pitch - tonic, 12)
        if step in STEPS:
            word = STEPS[step]
        else:
            word = STEPS[step - 1] + "#"
        words.append(word + "+" * octave + "-" * -octave)
    return " ".join(words)
