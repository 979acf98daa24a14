def protein_changes(before, after, code):
    """Return the changed codons of a gene, three letters each, as in "V6E":
    acid before, number of the codon from 1, acid after, or "=" after it if the
    acid is the same, looked up in code. Nothing behind a codon that is now "*"
    is listed.
    """
    changes = []
    for place in range(0, len(before) - 2, 3):
        old, new = before[place:place + 3], after[place:place + 3]
        if old != new:
            acid = "=" if code[old] == code[new] else code[new]
            changes.append(f"{code[old]}{place // 3 + 1}{acid}")
        if code[new] == "*":
            break
    return changes
