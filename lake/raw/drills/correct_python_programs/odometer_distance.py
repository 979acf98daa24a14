def odometer_distance(readings, digits):
    """Return the distance driven over the readings of a car's counter with
    the given number of digits, which jumps from all nines to 0, at most once
    between two readings. None, an unreadable display, is passed over.
    """
    size = 10 ** digits
    driven = 0
    last = None
    for reading in readings:
        if reading is None:
            continue
        if last is not None:
            driven += (reading - last) % size
        last = reading
    return driven
