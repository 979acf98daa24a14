def fill_down(rows, keys):
    """Return the rows with empty cells ("") in the key columns, the first so
    many as keys says, filled by the value carried down from above, if any. A
    cell that is not empty starts a new value for its column, and all values
    carried in the key columns to its right are forgotten.
    """
    carried = [""] * keys
    filled = []
    for row in rows:
        for index, cell in enumerate(row[:keys]):
            if cell != "":
                carried[index] = cell
                carried[index + 1:] = [""] * (keys - index - 1)
        filled.append(carried + row[keys:])
    return filled
