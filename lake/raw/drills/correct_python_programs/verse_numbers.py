def verse_numbers(poem, every):
    """Return the lines of a poem after a margin of four characters, which
    for the first line and each line whose number is a multiple of every
    holds that number, ending in the third. Lines of nothing but spaces are
    not counted and become empty.
    """
    page = []
    number = 0
    for verse in poem:
        if not verse.strip():
            page.append("")
            continue
        number += 1
        shown = number if number == 1 or number % every == 0 else ""
        page.append(f"{shown:>3} {verse}")
    return page
