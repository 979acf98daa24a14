def school_bell(minute, lesson, breaks):
    """Say what is on that many minutes after school began, in the form
    "break 2: 5 min left"; lessons take lesson minutes and have the breaks
    between them. What ends now is over; after the last lesson say "home"."""
    for number, pause in enumerate(breaks + [0], start=1):
        for name, length in (("lesson", lesson), ("break", pause)):
            if minute < length:
                return f"{name} {number}: {length - minute} min left"
            minute -= length
    return "home"
