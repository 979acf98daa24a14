def high_jump_places(tries):
    """Return [place, name] of high jumpers {name: tries}, equal ones by name,
    whose tries at each height are texts such as "xxo" ("o" cleared, "x"
    failed). The highest height cleared counts, then the fewest failures at
    it, then the fewest there and before; who equals another in all shares
    the place.
    """
    marks = {}
    for name, heights in tries.items():
        cleared = []
        for number, attempts in enumerate(heights, 1):
            if attempts.endswith("o"):
                cleared = heights[:number]
        at_best = cleared[-1].count("x") if cleared else 0
        failures = "".join(cleared).count("x")
        marks[name] = (-len(cleared), at_best, failures)
    places = []
    for name in sorted(marks, key=lambda name: (marks[name], name)):
        better = sum(mark < marks[name] for mark in marks.values())
        places.append([better + 1, name])
    return places
