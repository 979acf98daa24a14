def covered_area(boxes):
    """Return the area that boxes [left, bottom, right, top] cover together,
    counting what several of them cover only once.
    """
    edges = sorted({x for box in boxes for x in (box[0], box[2])})
    total = 0
    for start, end in zip(edges, edges[1:]):
        reached = None
        length = 0
        for left, bottom, right, top in sorted(boxes, key=lambda box: box[1]):
            if left > start or right < end:
                continue
            if reached is None or bottom > reached:
                length += top - bottom
                reached = top
            elif top > reached:
                length += top - reached
                reached = top
        total += length * (end - start)
    return total
