import re

PLACE = r"\{\{|\}\}|\{(\w+)(?::(\d+))?\}"


def fill_template(template, values, missing="?"):
    """Replace {name} by its value or else missing, {name:5} by the same moved
    to the right of 5 places, and a doubled brace by a single one.
    """
    def replace(match):
        name, width = match.groups()
        if name is None:
            return match.group()[0]
        value = str(values.get(name, missing))
        if width is not None:
            value = value.rjust(int(width))
        return value

    return re.sub(PLACE, replace, template)
