MOVES = {"R": (1, 0), "L": (-1, 0), "U": (0, 1), "D": (0, -1)}


def pen_strokes(commands):
    """Return the lines [x1, y1, x2, y2] that a plotter draws from 0, 0 on: R4
    goes 4 right (L left, U up to larger y, D down), and "pen" lowers the pen,
    raised at first, or raises it again. Moves of length 0 draw no line."""
    x = y = 0
    lowered, lines = False, []
    for word in commands.split():
        if word == "pen":
            lowered = not lowered
            continue
        across, up = MOVES[word[0]]
        length = int(word[1:])
        start = [x, y]
        x, y = x + across * length, y + up * length
        if lowered and length > 0:
            lines.append(start + [x, y])
    return lines
