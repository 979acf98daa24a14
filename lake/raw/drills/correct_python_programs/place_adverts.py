def place_adverts(posts, adverts, first, every):
    """Return the posts with an advert after post number first (1 or more) and
    another each time that every more posts are through, but none after the
    last post. The adverts come in order, over and over again; without
    adverts only the posts are returned.
    """
    feed = []
    shown = 0
    for count, post in enumerate(posts, 1):
        feed.append(post)
        due = count >= first and (count - first) % every == 0
        if due and adverts and count < len(posts):
            feed.append(adverts[shown % len(adverts)])
            shown += 1
    return feed
