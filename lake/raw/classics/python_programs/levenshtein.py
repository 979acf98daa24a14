def levenshtein(source, target):
    previous = list(range(len(target) + 1))
    for i, left in enumerate(source, 1):
        current = [i]
        for j, right in enumerate(target, 1):
            swap = previous[j - 1] + (left != right)
            current.append(min(swap, previous[j] + 1, current[j - 1] + 1))
    return previous[-1]


"""
Edit distance

Input:
    source: a str
    target: a str

Output:
    The smallest number of steps that turn source into target, a step
    being one character inserted, one deleted, or one replaced by another

Examples:
    >>> levenshtein('stone', 'tones')
    2
    >>> levenshtein('', 'ox')
    2
"""
