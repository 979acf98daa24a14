def speaking_minutes(turns, end):
    """Return [name, minutes rounded up] for each speaker, longest speaking
    time in seconds first, then by name; a turn [second, name] lasts until the
    next one, the last until end, and the name "" means silence."""
    seconds = {}
    for index, (begin, name) in enumerate(turns):
        stop = end
        if index + 1 < len(turns):
            stop = turns[index + 1][0]
        if name:
            seconds[name] = seconds.get(name, 0) + stop - begin
    ranking = sorted(seconds, key=lambda name: (-seconds[name], name))
    return [[name, -(-seconds[name] // 60)] for name in ranking]
