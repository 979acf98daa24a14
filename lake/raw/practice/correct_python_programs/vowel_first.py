from collections import defaultdict


def vowel_first(names):
    """Return names grouped by their first letter, those that begin with a
    vowel before the others: a list of [letter, names], each in order.
    """
    groups = defaultdict(list)
    for name in sorted(names):
        groups[name[0].upper()].append(name)
    vowels = [letter for letter in "AEIOU" if letter in groups]
    others = sorted(groups.keys() - set(vowels))
    return [[letter, groups[letter]] for letter in vowels + others]
