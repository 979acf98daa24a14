from collections import OrderedDict


class Cache:
    def __init__(self, size):
        self.size = size
        self.pages = OrderedDict()

    def visit(self, page):
        if page in self.pages:
            self.pages.move_to_end(page)
            return True
        if len(self.pages) >= self.size:
            self.pages.popitem(last=False)
        self.pages[page] = None
        return False


def cache_hits(requests, size):
    """Return how many requests find their page in a cache that drops the page
    not asked for the longest when full, and the pages left, oldest first.
    """
    cache = Cache(size)
    hits = sum(cache.visit(page) for page in requests)
    return [hits, list(cache.pages)]
