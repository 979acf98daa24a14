import re


def unescape(text):
    spaced = text.replace("+", " ")
    return re.sub(
        "%([0-9A-Fa-f]{2})",
        lambda match: chr(int(match.group(1), 16)),
        spaced,
    )


def parse_query(query):
    """Return the list of values of each key in a query "?a=1&b=x%20y&a=2",
    with escapes and plus signs decoded and keys without = given an empty text.
    """
    values = {}
    for pair in query.removeprefix("?").split("&"):
        if not pair:
            continue
        key, _, value = pair.partition("=")
        values.setdefault(unescape(key), []).append(unescape(value))
    return values
