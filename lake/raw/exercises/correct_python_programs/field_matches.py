def field_matches(field, value, low=0):
    """Tell whether a value fits a timetable field: parts joined by commas,
    each *, a number or a range 3-7, the steps from low or its start after /.
    """
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, value
        elif "-" in span:
            first, last = map(int, span.split("-"))
        else:
            first = last = int(span)
        if first <= value <= last:
            if (value - first) % int(step or 1) == 0:
                return True
    return False
