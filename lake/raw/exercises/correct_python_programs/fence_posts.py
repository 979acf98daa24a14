def side(origin, first, second):
    width, height = first[0] - origin[0], first[1] - origin[1]
    return width * (second[1] - origin[1]) - height * (second[0] - origin[0])


def half_fence(trees):
    posts = []
    for tree in trees:
        while len(posts) > 1 and side(posts[-2], posts[-1], tree) <= 0:
            posts.pop()
        posts.append(tree)
    return posts


def fence_posts(trees):
    """Return the corners of the shortest fence around trees [x, y], against
    the clock from the leftmost (of those the lowest) tree on.
    """
    ordered = sorted([x, y] for x, y in {tuple(tree) for tree in trees})
    if len(ordered) < 3:
        return ordered
    return half_fence(ordered)[:-1] + half_fence(ordered[::-1])[:-1]
