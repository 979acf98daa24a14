def fewest_palindromes(text):
    """Return the smallest number of pieces into which a text can be cut
    so that every piece reads the same forwards and backwards.
    """
    fewest = [0]
    for end in range(1, len(text) + 1):
        counts = []
        for start in range(end):
            piece = text[start:end]
            if piece == piece[::-1]:
                counts.append(fewest[start] + 1)
        fewest.append(min(counts))
    return fewest[-1]
