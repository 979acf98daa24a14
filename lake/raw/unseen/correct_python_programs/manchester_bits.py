def manchester_bits(samples):
    """Return the bits of a text of half bits, where 01 stands for 1 and 10 for
    0. If a pair is neither, the pairs begin one place later, and the result is
    None if one of these is neither, too; a half bit left over at the end does
    not count.
    """
    for offset in (0, 1):
        bits = ""
        for place in range(offset, len(samples) - 1, 2):
            first, second = samples[place:place + 2]
            if first == second:
                break
            bits += second
        else:
            return bits
    return None
