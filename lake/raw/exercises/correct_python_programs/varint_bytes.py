def varint_bytes(numbers):
    """Encode whole numbers in bytes of seven bits each, lowest first, with
    128 added to every byte but a number's last, negative ones zigzagged.
    """
    encoded = []
    for number in numbers:
        rest = number << 1 if number >= 0 else (-number << 1) - 1
        while rest >= 128:
            encoded.append(rest & 127 | 128)
            rest >>= 7
        encoded.append(rest)
    return encoded
