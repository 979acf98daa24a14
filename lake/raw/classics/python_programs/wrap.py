def wrap(text, cols):
    lines = []
    line = ''
    for word in text.split():
        if line and len(line) + 1 + len(word) > cols:
            lines.append(line)
            line += word
        else:
            line = f'{line} {word}'.strip()
    if line:
        lines.append(line)
    return lines


"""
Break a text into lines

Words are separated by spaces. Each line takes as many of the following
words as fit, with one space between them and none at either end.

Input:
    text: a str, possibly empty, with no word longer than cols
    cols: an int, the greatest length of a line, at least 1

Output:
    A list of the lines, in order; no line is empty, no word is left out

Examples:
    >>> wrap('a bird in the hand', 9)
    ['a bird in', 'the hand']
    >>> wrap('  to be  ', 5)
    ['to be']
"""
