from collections import defaultdict


def group_by_length(words):
    groups = defaultdict(list)
    for word in words:
        groups[len(word)].append(word)
    return [groups[length] for length in sorted(groups)]
