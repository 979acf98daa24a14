NOTES = "C C# D D# E F F# G G# A A# B".split()
STEPS = {"": [4, 7], "m": [3, 7], "dim": [3, 6], "7": [4, 7, 10]}


def chord_notes(symbol):
    """Return the notes, all written with sharps, of a chord such as "F#m/A":
    the root, then those 4 and 7 half tones above it, or 3 and 7 for m, 3 and
    6 for dim, and 4, 7 and 10 for 7. A note after a slash comes first, and
    is not repeated.
    """
    name, _, bass = symbol.partition("/")
    length = 2 if name[1:2] == "#" else 1
    root = NOTES.index(name[:length])
    notes = [bass] if bass else []
    for step in [0] + STEPS[name[length:]]:
        note = NOTES[(root + step) % len(NOTES)]
        if note != bass:
            notes.append(note)
    return notes
