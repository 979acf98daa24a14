def next_term(terms):
    """Return the next term of an integer sequence, by the first rule that
    fits all terms: a constant difference, a constant whole factor, each
    term the sum of the two before; None below three terms or if none fits.
    """
    if len(terms) < 3:
        return None
    first, second = terms[:2]
    pairs = list(zip(terms, terms[1:]))
    if all(b - a == second - first for a, b in pairs):
        return terms[-1] + second - first
    if first != 0 and second % first == 0:
        factor = second // first
        if all(b == a * factor for a, b in pairs):
            return terms[-1] * factor
    if all(a + b == c for (a, b), c in zip(pairs, terms[2:])):
        return terms[-2] + terms[-1]
    return None
