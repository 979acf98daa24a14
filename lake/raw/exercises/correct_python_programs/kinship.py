def line_of(parents, name):
    line = [name]
    while name in parents:
        name = parents[name]
        line.append(name)
    return line


def kinship(parents, one, other):
    """Return the closest common ancestor by {child: parent} and how many
    generations it is above each of two people (0 for itself), or None.
    """
    line = line_of(parents, other)
    for above, name in enumerate(line_of(parents, one)):
        if name in line:
            return [name, above, line.index(name)]
    return None
