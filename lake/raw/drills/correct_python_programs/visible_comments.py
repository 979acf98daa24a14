def visible_comments(comments, lowest, depth=0):
    """Return a line for each comment [text, score, replies], followed by
    those of its replies, with depth times "> " in front, once more per level.
    A score below lowest hides a comment and all replies to it; in place of
    the replies to a comment of depth 2 stands, unless there are none, a line
    like "> > > [5 more]" with how many direct ones it has, of any score.
    """
    lines = []
    for text, score, replies in comments:
        if score < lowest:
            continue
        lines.append("> " * depth + text)
        if depth < 2:
            lines += visible_comments(replies, lowest, depth + 1)
        elif replies:
            lines.append("> " * (depth + 1) + f"[{len(replies)} more]")
    return lines
