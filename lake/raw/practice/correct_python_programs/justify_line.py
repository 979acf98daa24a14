def justify_line(words, width):
    """Join the words to a line of exactly width letters, gaps as even as
    possible and the wider ones on the left; fill up fewer than two words
    with spaces on the right."""
    if len(words) < 2:
        return "".join(words).ljust(width)
    spaces = width - sum(len(word) for word in words)
    each, extra = divmod(spaces, len(words) - 1)
    line = words[0]
    for index, word in enumerate(words[1:]):
        gap = each + 1 if index < extra else each
        line += " " * gap + word
    return line
