def number_headings(lines):
    """Return the headings, marked by one # a level, numbered 1, 1.1 and so on
    (0 for a level left out), except those between lines of three tildes.
    """
    counters = []
    numbered = []
    in_code = False
    for line in lines:
        if line.startswith("~~~"):
            in_code = not in_code
        title = line.lstrip("#")
        level = len(line) - len(title)
        if in_code or level == 0:
            continue
        while len(counters) < level:
            counters.append(0)
        del counters[level:]
        counters[-1] += 1
        number = ".".join(str(counter) for counter in counters)
        numbered.append(f"{number} {title.strip()}")
    return numbered
