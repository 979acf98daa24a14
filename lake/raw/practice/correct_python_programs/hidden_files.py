from fnmatch import fnmatchcase


def hidden_files(names, patterns):
    """Return the names that any of the patterns matches, "*" standing for
    any text; a later pattern that begins with "!" shows them again.
    """
    hidden = []
    for name in names:
        hides = False
        for pattern in patterns:
            if fnmatchcase(name, pattern.lstrip("!")):
                hides = not pattern.startswith("!")
        if hides:
            hidden.append(name)
    return hidden
