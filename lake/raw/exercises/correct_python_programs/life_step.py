from collections import Counter
from itertools import product


def life_step(rows):
    """Return the next state of the game of life, # alive and . dead, on a
    board that continues at the opposite edge.
    """
    height = len(rows)
    width = len(rows[0])
    crowd = Counter()
    for y, x in product(range(height), range(width)):
        if rows[y][x] != "#":
            continue
        for down, right in product((-1, 0, 1), repeat=2):
            if down != 0 or right != 0:
                crowd[(y + down) % height, (x + right) % width] += 1
    following = []
    for y, row in enumerate(rows):
        line = ""
        for x, cell in enumerate(row):
            near = crowd[y, x]
            alive = near == 3 or (near == 2 and cell == "#")
            line += "#" if alive else "."
        following.append(line)
    return following
