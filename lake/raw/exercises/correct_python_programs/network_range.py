def dotted(number):
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def network_range(address):
    """Return the first and the last address of the network of an address such
    as "10.0.3.7/24", and how many there are, or None if it is malformed.
    """
    host, _, length = address.partition("/")
    try:
        parts = [int(part) for part in host.split(".")]
        free = 32 - int(length)
    except ValueError:
        return None
    if len(parts) != 4 or min(parts) < 0 or max(parts) > 255:
        return None
    if not 0 <= free <= 32:
        return None
    number = 0
    for part in parts:
        number = number << 8 | part
    first = number >> free << free
    last = first + (1 << free) - 1
    return [dotted(first), dotted(last), last - first + 1]
