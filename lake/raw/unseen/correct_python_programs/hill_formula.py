def hill_formula(counts):
    """Return a formula for the number of atoms of each element: carbon first,
    hydrogen next and the others by symbol, but all by symbol if there is no
    carbon. A number of 1 is not written, and elements with 0 atoms are left
    out.
    """
    symbols = sorted(symbol for symbol in counts if counts[symbol] > 0)
    if "C" in symbols:
        symbols.sort(key=lambda symbol: "CH".find(symbol) % 3)
    parts = []
    for symbol in symbols:
        parts.append(symbol)
        if counts[symbol] > 1:
            parts.append(str(counts[symbol]))
    return "".join(parts)
