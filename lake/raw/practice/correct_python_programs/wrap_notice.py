import textwrap


def wrap_notice(text, width):
    """Return a notice as lines of at most width characters between two bars
    of as many dashes; a notice without words is no line at all.
    """
    lines = textwrap.wrap(text, width)
    if not lines:
        return []
    bar = "-" * max(map(len, lines))
    return [bar, *lines, bar]
