def beat_seconds(marks, beat):
    """Return the second, to two digits, at which a beat is reached in a piece
    whose tempo marks [beat, beats a minute], the first at beat 0, come in
    order; without marks, or for a beat before 0, it is 0.0.
    """
    seconds = 0.0
    for index, (start, tempo) in enumerate(marks):
        if beat < start:
            break
        end = beat
        if index + 1 < len(marks):
            end = min(beat, marks[index + 1][0])
        seconds += (end - start) * 60 / tempo
    return round(seconds, 2)
