def join_broken_words(lines):
    """Undo the hyphenation of a text: where a line ends in "-" (but not in
    "--") and the next begins with a small letter, the next line's part up to
    its first space moves up in place of the hyphen, and that space goes. A
    line left empty by this goes too.
    """
    joined = []
    for line in lines:
        last = joined[-1] if joined else ""
        hyphenated = last.endswith("-") and not last.endswith("--")
        if hyphenated and line[:1].islower():
            ending, _, line = line.partition(" ")
            joined[-1] = last[:-1] + ending
            if line == "":
                continue
        joined.append(line)
    return joined
