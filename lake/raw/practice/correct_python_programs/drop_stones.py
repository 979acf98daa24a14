def drop_stones(rows):
    """Return the rows of text after every stone "o" has fallen straight down
    over dots until it rests on the floor, a wall "#" or another stone."""
    columns = []
    for column in zip(*rows):
        fallen = []
        for part in "".join(column).split("#"):
            stones = part.count("o")
            fallen.append("." * (len(part) - stones) + "o" * stones)
        columns.append("#".join(fallen))
    return ["".join(row) for row in zip(*columns)]
