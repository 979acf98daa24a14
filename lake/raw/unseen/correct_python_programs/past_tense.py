def past_tense(verb):
    """Return the past of a regular English verb: it adds "d" to an e, makes
    "ied" of y after a consonant, and adds "ed" to others, with the last letter
    doubled if the only vowel (a, e, i, o or u) stands just before it and it is
    not w, x or y.
    """
    vowels = [letter in "aeiou" for letter in verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and not vowels[-2]:
        return verb[:-1] + "ied"
    if sum(vowels) == 1 and vowels[-2] and verb[-1] not in "wxy":
        return verb + verb[-1] + "ed"
    return verb + "ed"
