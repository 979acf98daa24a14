import struct


def unpack_header(numbers):
    """Return [version, flags, length] of a header of four bytes, given as
    numbers: a byte each for version and flags, two for the length.
    """
    data = bytes(numbers[:4])
    if len(data) < 4:
        return []
    version, flags, length = struct.unpack(">BBH", data)
    return [version, flags, length]
