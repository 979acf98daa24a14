def page_list(text, last):
    """Return the pages from 1 to last that a text such as "1-3,7,9-" names, in
    the order written and each once; a range left open starts at 1 or ends at
    last."""
    pages = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low and not dash:
            continue
        if not dash:
            high = low
        first = int(low or 1)
        final = int(high or last)
        for page in range(max(first, 1), min(final, last) + 1):
            if page not in pages:
                pages.append(page)
    return pages
