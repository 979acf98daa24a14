def only_in_one(first, second):
    """Merge two sorted lists into one sorted list, leaving out every value
    that pairs off with an equal one of the other list, one against one."""
    if not first or not second:
        return first + second
    if first[0] == second[0]:
        return only_in_one(first[1:], second[1:])
    if first[0] < second[0]:
        return [first[0]] + only_in_one(first[1:], second)
    return [second[0]] + only_in_one(first, second[1:])
