import unicodedata


def plain_names(names):
    """Return names without the accents over and under their letters, spaces
    as underscores, all in small letters.
    """
    plain = []
    for name in names:
        parts = unicodedata.normalize("NFKD", name)
        letters = [char for char in parts if not unicodedata.combining(char)]
        plain.append("".join(letters).lower().replace(" ", "_"))
    return plain
