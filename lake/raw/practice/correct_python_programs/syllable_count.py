def syllable_count(word):
    """Count the runs of vowels (a, e, i, o, u, y) in the word, leaving out a
    final "e" right after a consonant other than "l", unless it is the only
    run."""
    word = word.lower()
    vowels = "aeiouy"
    count = 0
    in_run = False
    for letter in word:
        if letter in vowels and not in_run:
            count += 1
        in_run = letter in vowels
    if count > 1 and word[-1] == "e" and word[-2] not in vowels + "l":
        count -= 1
    return count
