def pinwheel_block(patch):
    """Return the rows of a quilt block made of a square patch, rows of text,
    four times: as it is at the upper left, and then with the clock, each
    time turned by one more quarter with the clock, at the upper right, the
    lower right and the lower left.
    """
    quarters = [patch]
    for _ in range(3):
        last = quarters[-1]
        turned = ["".join(column) for column in zip(*last[::-1])]
        quarters.append(turned)
    top = [left + right for left, right in zip(quarters[0], quarters[1])]
    bottom = [left + right for left, right in zip(quarters[3], quarters[2])]
    return top + bottom
