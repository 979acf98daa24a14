def fix_hamming(code):
    """Return the four data bits at places 3, 5, 6 and 7 of a seven-bit text,
    after turning over the one bit that its parity bits 1, 2 and 4 point to.
    """
    bits = [int(bit) for bit in code]
    wrong = 0
    for place, bit in enumerate(bits, start=1):
        if bit:
            wrong ^= place
    if wrong:
        bits[wrong - 1] ^= 1
    return "".join(str(bits[place - 1]) for place in (3, 5, 6, 7))
