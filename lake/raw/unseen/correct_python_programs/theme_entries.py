def theme_entries(tune, theme):
    """Return [index, form] for each place where a theme of two or more
    pitches occurs in a tune at any height: "plain" with the same steps from
    note to note, or else "mirror" with all steps turned round.
    """
    steps = [after - note for note, after in zip(theme, theme[1:])]
    turned = [-step for step in steps]
    entries = []
    for index in range(len(tune) - len(theme) + 1):
        part = tune[index:index + len(theme)]
        heard = [after - note for note, after in zip(part, part[1:])]
        if heard == steps:
            entries.append([index, "plain"])
        elif heard == turned:
            entries.append([index, "mirror"])
    return entries
