import difflib


def changed_lines(before, after):
    """Return the lines that were taken out of a text, with a minus before
    them, and those that were put in, with a plus, as a diff lists them.
    """
    changes = []
    for line in difflib.ndiff(before, after):
        if line.startswith(("- ", "+ ")):
            changes.append(line[0] + line[2:])
    return changes
