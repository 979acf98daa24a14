def unique_prefixes(words):
    """Map each of the different, non-empty words to its shortest beginning of
    at least one letter with which no other word begins, or to the whole word
    if there is none."""
    prefixes = {}
    for word in words:
        size = 1
        others = [other for other in words if other != word]
        while size < len(word):
            if not any(other.startswith(word[:size]) for other in others):
                break
            size += 1
        prefixes[word] = word[:size]
    return prefixes
