import shlex


def shell_words(lines):
    """Return the first word of each command line and how many arguments it
    has, as "name count"; quotes hold an argument together.
    """
    calls = []
    for line in lines:
        words = shlex.split(line, comments=True)
        if words:
            calls.append(f"{words[0]} {len(words) - 1}")
    return calls
