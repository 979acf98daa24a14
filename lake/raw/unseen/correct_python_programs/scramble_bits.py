def scramble_bits(bits, taps):
    """Return a text of bits scrambled for a line: each bit is turned over
    once for every tap whose number of places back there is a 1 in what has
    been scrambled so far.
    """
    sent = []
    for place, bit in enumerate(bits):
        ones = int(bit)
        for tap in taps:
            if tap <= place:
                ones += sent[place - tap]
        sent.append(ones % 2)
    return "".join(map(str, sent))
