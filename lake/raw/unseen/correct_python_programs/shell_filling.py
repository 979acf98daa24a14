def shell_filling(electrons):
    """Return how the electrons of an atom fill its subshells, in this order,
    as in "1s2 2s2 2p3": those with the lowest sum of shell number and kind (s,
    p, d and f are kinds 0 to 3) first, of equal sums the lower shell. Each
    takes twice as many as double its kind plus one.
    """
    places = []
    for shell in range(1, 8):
        for kind in range(min(shell, 4)):
            places.append((shell + kind, shell, kind))
    parts = []
    for _, shell, kind in sorted(places):
        if electrons > 0:
            taken = min(electrons, 2 * (2 * kind + 1))
            parts.append(f"{shell}{'spdf'[kind]}{taken}")
            electrons -= taken
    return " ".join(parts)
