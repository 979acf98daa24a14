VOWELS = "aeiou"


def vowel_positions(word):
    positions = []
    for position, letter in enumerate(word.lower()):
        if letter in VOWELS:
            positions.append(position)
    return positions
