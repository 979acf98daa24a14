HEADINGS = "NESW"
STEPS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}


def robot_walk(commands, walls=()):
    """Follow commands L, R and F3 (three steps) from [0, 0] facing N, and
    return [x, y, heading]; a robot stops in front of a wall [x, y].
    """
    x, y = 0, 0
    heading = "N"
    for command in commands.split():
        place = HEADINGS.index(heading)
        if command == "L":
            heading = HEADINGS[place - 1]
        elif command == "R":
            heading = HEADINGS[(place + 1) % 4]
        else:
            right, up = STEPS[heading]
            for _ in range(int(command[1:])):
                if [x + right, y + up] in walls:
                    break
                x += right
                y += up
    return [x, y, heading]
