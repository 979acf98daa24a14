def expand_tabs(text, size):
    """Replace each tab by one or more spaces that lead to the next column
    divisible by size; columns count from 0 and start anew on each line."""
    result = ""
    column = 0
    for char in text:
        if char == "\t":
            width = size - column % size
            result += " " * width
            column += width
        elif char == "\n":
            result += char
            column = 0
        else:
            result += char
            column += 1
    return result
