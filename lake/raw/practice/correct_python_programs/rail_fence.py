def rail_fence(text, rails):
    """Write the text in a zigzag down and up over the rails, starting on the
    top one, and return the rails read one after the other from the top."""
    if rails == 1:
        return text
    rows = [""] * rails
    row = 0
    step = 1
    for letter in text:
        rows[row] += letter
        if row == 0:
            step = 1
        elif row == rails - 1:
            step = -1
        row += step
    return "".join(rows)
