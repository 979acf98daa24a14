def counter_machine(program, counters, limit):
    """Run lines "a+", which add one to counter a, and "a-5", which take one
    from it or, if it is 0, go on at line 5 (the first line is 0). Return the
    counters once the next line would be past the end, None if it is not so
    after limit lines have run."""
    counts = dict(counters)
    place = 0
    while place < len(program):
        if limit == 0:
            return None
        limit -= 1
        name, sign, target = program[place].partition("-")
        place += 1
        if not sign:
            counts[name[:-1]] += 1
        elif counts[name] > 0:
            counts[name] -= 1
        else:
            place = int(target)
    return counts
