def shorten_ipv6(address):
    """Return an address of eight groups of hex digits joined by colons in
    short: in small letters, without zeros in front of a group, and "::" in
    place of the longest run of two or more groups of zero, the first of
    equally long ones.
    """
    groups = [part.lower().lstrip("0") or "0" for part in address.split(":")]
    best, length = 0, 1
    start = 0
    for index, group in enumerate(groups + ["end"]):
        if group != "0":
            if index - start > length:
                best, length = start, index - start
            start = index + 1
    if length < 2:
        return ":".join(groups)
    left, right = groups[:best], groups[best + length:]
    return ":".join(left) + "::" + ":".join(right)
