import hashlib


def page_hash(pages):
    """Return the numbers of pages, from 0, whose text is the same as that of
    an earlier one when blanks are left out.
    """
    seen, repeated = set(), []
    for number, page in enumerate(pages):
        digest = hashlib.sha256("".join(page.split()).encode()).hexdigest()
        if digest in seen:
            repeated.append(number)
        seen.add(digest)
    return repeated
