def context_lines(text, word, width):
    """Return a line for each place where a word stands in a text, whatever
    its case and the signs .,;:!? beside it: up to width words before it, it
    in square brackets as written and up to width words after it, with
    spaces between them.
    """
    words = text.split()
    lines = []
    for index, found in enumerate(words):
        if found.strip(".,;:!?").lower() != word.lower():
            continue
        before = words[max(0, index - width):index]
        after = words[index + 1:index + 1 + width]
        lines.append(" ".join(before + [f"[{found}]"] + after))
    return lines
