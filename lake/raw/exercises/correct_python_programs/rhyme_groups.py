def rhyme_groups(words, size=2):
    """Group different words that share their last size letters in any case,
    largest group first; shorter words and words alone are left out.
    """
    groups = {}
    for word in words:
        if len(word) < size:
            continue
        group = groups.setdefault(word[-size:].lower(), [])
        if word not in group:
            group.append(word)
    rhymes = [group for group in groups.values() if len(group) > 1]
    return sorted(rhymes, key=len, reverse=True)
