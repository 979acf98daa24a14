SMALL_WORDS = {"a", "an", "and", "of", "the", "to"}


def title_case(text):
    words = []
    for index, word in enumerate(text.lower().split()):
        if index == 0 or word not in SMALL_WORDS:
            word = word[0].upper() + word[1:]
        words.append(word)
    return " ".join(words)
