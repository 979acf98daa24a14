def chord_lines(song):
    """Split a song line such as "[G]Let it [Am]be" into a line of chords and
    a line of words, every chord starting above the character it stands
    before; where the chord before it leaves no space there, it moves right
    to keep one space. Each "[" has its "]".
    """
    words, *parts = song.split("[")
    chords = ""
    for part in parts:
        chord, text = part.split("]")
        if chords:
            chords += " "
        chords = chords.ljust(len(words)) + chord
        words += text
    return [chords, words]
