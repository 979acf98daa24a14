from itertools import groupby


def phrase_runs(beats):
    """Return the rhythm of beats as text: a run of the same beat as its
    letter and, if it is longer than one, its length; runs joined by spaces.
    """
    parts = []
    for beat, run in groupby(beats):
        length = len(list(run))
        parts.append(beat if length == 1 else f"{beat}{length}")
    return " ".join(parts)
