from pathlib import PurePosixPath


def file_kinds(paths):
    """Return the names of files without folder and ending, grouped by their
    ending: a dictionary from ".txt" and the like to sorted names.
    """
    kinds = {}
    for path in map(PurePosixPath, paths):
        kinds.setdefault(path.suffix, []).append(path.stem)
    return {ending: sorted(kinds[ending]) for ending in sorted(kinds)}
