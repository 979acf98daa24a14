import re

PATTERN = r"([\w.]+)@(\w+(?:\.\w+)+)"


def email_parts(text):
    match = re.fullmatch(PATTERN, text.strip())
    if match is None:
        return None
    user, host = match.groups()
    return [user, host]
