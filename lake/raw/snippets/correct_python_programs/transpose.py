def transpose(rows):
    if not rows:
        return []
    width = len(rows[0])
    columns = []
    for index in range(width):
        column = [row[index] for row in rows]
        columns.append(column)
    return columns
