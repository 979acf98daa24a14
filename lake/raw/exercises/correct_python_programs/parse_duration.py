import re

UNITS = {"d": 1440, "h": 60, "m": 1}


def parse_duration(text):
    """Return the minutes of a duration such as "1d 2h 30m", or None if it is
    empty, malformed, or does not name each unit once, largest first.
    """
    total = 0
    last = None
    for part in text.split():
        match = re.fullmatch(r"(\d+)([dhm])", part)
        if match is None:
            return None
        size = UNITS[match.group(2)]
        if last is not None and size >= last:
            return None
        total += int(match.group(1)) * size
        last = size
    return None if last is None else total
