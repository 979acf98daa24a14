def button_gestures(presses, hold=500, gap=300):
    """Name the gestures made by presses [down, up], times in milliseconds: a
    press of at least hold is "long", two short ones with at most gap between
    them are one "double", and any other short one is a "click"."""
    gestures = []
    released = None
    for down, up in presses:
        if up - down >= hold:
            gestures.append("long")
            released = None
        elif released is not None and down - released <= gap:
            gestures[-1] = "double"
            released = None
        else:
            gestures.append("click")
            released = up
    return gestures
