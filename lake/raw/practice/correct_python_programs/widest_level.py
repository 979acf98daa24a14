def widest_level(tree):
    """Return [depth, width] of the level with the most names in a tree
    of dicts {name: subtree}; the top level has depth 0, of equally wide
    levels the upper one counts, and an empty tree gives [-1, 0].
    """
    best_depth = -1
    best_width = 0
    depth = 0
    level = list(tree.values())
    while level:
        if len(level) > best_width:
            best_depth = depth
            best_width = len(level)
        level = [child for node in level for child in node.values()]
        depth += 1
    return [best_depth, best_width]
