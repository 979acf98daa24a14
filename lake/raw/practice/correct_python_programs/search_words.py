from urllib.parse import parse_qs, urlsplit


def search_words(address, key):
    """Return the words that an address asks for under a key, in small
    letters and in order, each once; "+" stands for a space.
    """
    query = parse_qs(urlsplit(address).query)
    words = []
    for value in query.get(key, []):
        for word in value.lower().split():
            if word not in words:
                words.append(word)
    return words
