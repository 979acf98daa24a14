NOTES = (16, 12, 8, 6, 4, 3, 2, 1)


def tied_notes(start, length, bar):
    """Return the notes to be tied for a tone of length sixteenths that begins
    start sixteenths into a bar of bar sixteenths (start is below bar). Each
    note has a length of NOTES and ends no later than its bar; from the front
    on, always take the longest note possible.
    """
    if length == 0:
        return []
    room = min(length, bar - start)
    note = next(size for size in NOTES if size <= room)
    return [note] + tied_notes((start + note) % bar, length - note, bar)
