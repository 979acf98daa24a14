def serial_values(line, width):
    """Return the values on a serial line, a text of bits that is 1 at rest:
    each has a 0 to start, width bits, the lowest first, and a 1 to stop, and
    is None if this is 0; the next starts behind it. A value that is not
    complete is left out.
    """
    values = []
    start = line.find("0")
    while start >= 0:
        stop = start + width + 1
        if stop >= len(line):
            break
        value = 0
        for place in range(stop - 1, start, -1):
            value = 2 * value + int(line[place])
        values.append(value if line[stop] == "1" else None)
        start = line.find("0", stop + 1)
    return values
