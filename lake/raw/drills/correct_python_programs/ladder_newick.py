def ladder_newick(tree):
    """Return the text of a tree of species: a name as it is, and a list of
    trees as their texts in round brackets with commas between, those with
    fewer names in them first and equal ones by their texts; a semicolon ends
    the whole text.
    """
    def write(branch):
        if isinstance(branch, str):
            return 1, branch
        parts = sorted(write(part) for part in branch)
        names = sum(count for count, _ in parts)
        return names, "(" + ",".join(text for _, text in parts) + ")"

    return write(tree)[1] + ";"
