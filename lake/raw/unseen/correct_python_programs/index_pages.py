def index_pages(pages):
    """Write rising page numbers as in the index of a book: "3, 7-9", where
    three or more that follow each other are joined; if the first of them is
    100 or more and only the last two digits change, of the last one only
    these are written, as in "121-25".
    """
    runs = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    parts = []
    for run in runs:
        if len(run) < 3:
            parts += [str(page) for page in run]
            continue
        first, last = run[0], run[-1]
        if first >= 100 and first // 100 == last // 100:
            last = f"{last % 100:02}"
        parts.append(f"{first}-{last}")
    return ", ".join(parts)
