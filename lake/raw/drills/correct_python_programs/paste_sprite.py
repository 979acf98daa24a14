def paste_sprite(canvas, sprite, top, left):
    """Return the canvas with a sprite drawn on it, both rows of text, so that
    the upper left corner of the sprite is at row top and column left (maybe
    negative). Dots of the sprite leave the canvas as it is, and what lies
    outside of the canvas is cut off.
    """
    rows = [list(line) for line in canvas]
    for y, line in enumerate(sprite, start=top):
        if not 0 <= y < len(rows):
            continue
        for x, mark in enumerate(line, start=left):
            if mark != "." and 0 <= x < len(rows[y]):
                rows[y][x] = mark
    return ["".join(row) for row in rows]
