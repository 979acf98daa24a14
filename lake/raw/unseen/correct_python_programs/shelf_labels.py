def shelf_labels(books, width):
    """Return the labels of the shelves that books [call number, thickness]
    fill in their order, each shelf until the next book would make it more
    than width: "first - last" call number, or only one for a single book.
    A book that is thicker than a shelf gets one for itself.
    """
    shelves = []
    used = 0
    for call, thickness in books:
        if not shelves or used + thickness > width:
            shelves.append([])
            used = 0
        shelves[-1].append(call)
        used += thickness
    labels = []
    for shelf in shelves:
        ends = shelf[:1] + shelf[1:][-1:]
        labels.append(" - ".join(ends))
    return labels
