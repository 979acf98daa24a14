PREFIXES = {"De", "La", "Van", "Mac"}


def filing_name(name):
    """Return a full name as on a card of a card index, surname first: "Robert
    De Niro Jr." becomes "De Niro, Robert, Jr.". The surname is the last word
    with all PREFIXES right before it; a final "Jr." or "Sr." stays at the
    end, and what is missing leaves no comma.
    """
    words = name.split()
    suffix = ""
    if words and words[-1] in ("Jr.", "Sr."):
        suffix = words.pop()
    start = len(words) - 1
    while start > 0 and words[start - 1] in PREFIXES:
        start -= 1
    fields = [" ".join(words[start:]), " ".join(words[:start]), suffix]
    return ", ".join(field for field in fields if field)
