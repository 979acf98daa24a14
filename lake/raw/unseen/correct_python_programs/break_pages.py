def break_pages(paragraphs, height):
    """Return how many lines stand on each page, of at most height lines, 3 or
    more, for paragraphs with these numbers of lines. A paragraph that does not
    fit goes on overleaf, but neither its first nor its last line may stand
    alone: then one line more or the whole of it moves on.
    """
    pages = [0]
    for lines in paragraphs:
        while lines > height - pages[-1]:
            part = height - pages[-1]
            if lines - part == 1:
                part -= 1
            if part < 2:
                part = 0
            pages[-1] += part
            lines -= part
            pages.append(0)
        pages[-1] += lines
    return pages
