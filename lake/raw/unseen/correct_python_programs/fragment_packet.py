def fragment_packet(size, header, limit):
    """Return the fragments [place, bytes, more follow] in which size bytes
    travel if none may exceed the limit with its header. All but the last hold
    the largest multiple of 8 bytes that fits, places are in units of 8 bytes,
    and the result is None if a fragment before the last would hold none.
    """
    room = limit - header
    part = room // 8 * 8
    if size > room and part < 8:
        return None
    fragments = []
    start = 0
    while size - start > room:
        fragments.append([start // 8, part, True])
        start += part
    fragments.append([start // 8, size - start, False])
    return fragments
