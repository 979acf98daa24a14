def citation_names(authors, most):
    """Write authors such as "Ann Mary Lee" for a list of sources: "Lee, A. M."
    each, joined by commas but the last by " & ". If there are more than
    most, only the first is written, followed by " et al."; a single name
    stays as it is.
    """
    written = []
    for author in authors:
        *given, surname = author.split()
        initials = " ".join(f"{name[0]}." for name in given)
        written.append(f"{surname}, {initials}" if given else surname)
    if len(written) > most:
        return written[0] + " et al."
    if len(written) < 2:
        return "".join(written)
    return ", ".join(written[:-1]) + " & " + written[-1]
