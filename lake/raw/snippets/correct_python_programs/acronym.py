def acronym(phrase):
    letters = []
    for word in phrase.replace("-", " ").split():
        letters.append(word[0].upper())
    return "".join(letters)
