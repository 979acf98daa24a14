def take_turns(first, second):
    """Return the items of two lists in turn, then the rest of the longer one."""
    joined = []
    for index in range(max(len(first), len(second))):
        if index < len(first):
            joined.append(first[index])
        if index < len(second):
            joined.append(second[index])
    return joined
