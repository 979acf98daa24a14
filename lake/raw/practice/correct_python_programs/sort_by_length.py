def comes_before(one, other):
    if len(one) != len(other):
        return len(one) < len(other)
    return one.lower() < other.lower()


def sort_by_length(words):
    """Return the words from shortest to longest; words of one length stand
    in alphabetical order ignoring case, and equal ones keep their order."""
    result = []
    for word in words:
        place = len(result)
        while place > 0 and comes_before(word, result[place - 1]):
            place -= 1
        result.insert(place, word)
    return result
