def quadtree_code(image):
    """Return the code of a square image, rows of text with a side of 1, 2, 4
    and so on: its letter if all pixels are the same, else in brackets the
    codes of its four quarters, the upper left and right one and then the
    lower left and right one.
    """
    pixels = "".join(image)
    if pixels == pixels[0] * len(pixels):
        return pixels[0]
    half = len(image) // 2
    code = ""
    for rows in (image[:half], image[half:]):
        code += quadtree_code([row[:half] for row in rows])
        code += quadtree_code([row[half:] for row in rows])
    return f"({code})"
