def to_markup(lines):
    """Turn lines into markup lines: "# a" becomes h1 (one more # each next
    level), runs of "- a" become li inside ul, other lines p; blank lines only
    end a list."""
    result = []
    in_list = False
    for line in lines + [""]:
        is_item = line.startswith("- ")
        if is_item != in_list:
            result.append("<ul>" if is_item else "</ul>")
            in_list = is_item
        level = len(line) - len(line.lstrip("#"))
        if is_item:
            result.append(f"<li>{line[2:]}</li>")
        elif level > 0:
            result.append(f"<h{level}>{line[level:].strip()}</h{level}>")
        elif line.strip():
            result.append(f"<p>{line}</p>")
    return result
