def cell_place(name):
    """Return [row, column], both counted from 0, of a spreadsheet cell such as
    "B3" or "aa10" (columns A to Z, then AA and so on); None for a bad name."""
    column = 0
    at = 0
    name = name.upper()
    while at < len(name) and "A" <= name[at] <= "Z":
        column = 26 * column + ord(name[at]) - ord("A") + 1
        at += 1
    if at == 0 or not name[at:].isdigit() or name[at] == "0":
        return None
    return [int(name[at:]) - 1, column - 1]
