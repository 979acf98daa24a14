def reference_codes(titles, prefix):
    """Return lines such as "MS/2/1 Letters" for the tree of an archive, a list
    of titles in which a list holds the parts of the title before it: numbers
    from 1 on follow the prefix and a slash, and parts come right after what
    they belong to.
    """
    lines = []
    number = 0
    for title in titles:
        if isinstance(title, list):
            lines += reference_codes(title, f"{prefix}/{number}")
        else:
            number += 1
            lines.append(f"{prefix}/{number} {title}")
    return lines
