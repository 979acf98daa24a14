def strip_comment(line, marker="#"):
    """Cut a line at the first marker outside quotes, and the spaces before
    it; a backslash takes the next symbol's meaning away inside quotes.
    """
    quote = None
    escaped = False
    for index, symbol in enumerate(line):
        if escaped:
            escaped = False
        elif quote is not None:
            if symbol == "\\":
                escaped = True
            elif symbol == quote:
                quote = None
        elif symbol in "\"'":
            quote = symbol
        elif line.startswith(marker, index):
            return line[:index].rstrip()
    return line.rstrip()
