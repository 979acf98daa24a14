from functools import lru_cache


def split_words(letters, words):
    """Return every way to cut letters into known words, written with spaces
    between them, in alphabetical order.
    """
    known = set(words)

    @lru_cache(maxsize=None)
    def sentences(start):
        if start == len(letters):
            return [""]
        found = []
        for end in range(start + 1, len(letters) + 1):
            word = letters[start:end]
            if word in known:
                for rest in sentences(end):
                    found.append(f"{word} {rest}".strip())
        return found

    return sorted(sentences(0)) if letters else []
