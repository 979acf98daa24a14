def shown_page(items, page, size):
    """Return a dict with the page shown (counted from 1, moved to the nearest
    one that exists), the number of pages (at least 1), the items on that page
    and whether a next page exists, for size items a page."""
    pages = max(1, (len(items) + size - 1) // size)
    page = min(max(page, 1), pages)
    start = (page - 1) * size
    return {
        "page": page,
        "pages": pages,
        "items": items[start:start + size],
        "next": page < pages,
    }
