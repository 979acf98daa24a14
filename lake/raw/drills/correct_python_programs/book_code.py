def book_code(lines, keys):
    """Decode a book cipher whose keys [line, word, letter], each counted from
    1, point into the lines of a book, with words separated by spaces; letter
    0 stands for the whole word. A key that points beyond the last line, word
    or letter gives "?".
    """
    message = ""
    for line, word, letter in keys:
        try:
            found = lines[line - 1].split()[word - 1]
            message += found[letter - 1] if letter > 0 else found
        except IndexError:
            message += "?"
    return message
