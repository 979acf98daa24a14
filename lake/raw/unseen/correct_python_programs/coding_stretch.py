STOPS = ("TAA", "TAG", "TGA")


def coding_stretch(strand):
    """Return [start, codons] of the longest stretch of a strand that begins
    with the codon ATG and ends before the next stop codon in step with it, the
    first of equally long ones, or None. A stretch without a stop codon after
    it does not count.
    """
    best = None
    for start in range(len(strand) - 5):
        if strand[start:start + 3] != "ATG":
            continue
        for end in range(start + 3, len(strand) - 2, 3):
            if strand[end:end + 3] in STOPS:
                codons = (end - start) // 3
                if best is None or codons > best[1]:
                    best = [start, codons]
                break
    return best
