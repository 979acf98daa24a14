def pig_latin(word):
    vowels = "aeiou"
    if word[0] in vowels:
        return word + "way"
    for index, letter in enumerate(word):
        if letter in vowels:
            return word[index:] + word[:index] + "ay"
    return word + "ay"
