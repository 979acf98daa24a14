"""Read the Python files of any folder, as programs without tests.

Every ``*.py`` file is read, at any depth, but what is hidden, links and virtual environments. A
file that no item can be made of (not UTF-8, a null byte, too long) is handed back as dropped, so
that one bad file among thousands does not stop the build.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.linteval.items.limits import check_text
from coral_batch.linting.pool import MAX_BYTES
from coral_batch.records.items import Candidate, Dropped
from coral_batch.verdicts.projects import python_files


def read_folder(folder: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read every Python file, sorted by path; empty files are left out.

    Returns:
        The programs, and the files that cannot be one.

    Raises:
        CoralError: there is no such folder, or it has no Python file.
    """
    if not folder.is_dir():
        raise CoralError(
            "no folder of Python files here",
            file=folder,
            action="set linteval.path in params.yaml to a folder",
        )
    files = python_files(folder)
    if not files:
        raise CoralError("no Python file in the folder", file=folder, expected="files named *.py")
    candidates: list[Candidate] = []
    dropped: list[Dropped] = []
    for file in files:
        source = file.relative_to(folder).as_posix()
        if file.stat().st_size > MAX_BYTES:
            size = f"{file.stat().st_size} bytes"
            dropped.append(Dropped(source, "too_long", f"{size}, at most {MAX_BYTES} are read"))
            continue
        try:
            code = read_text(file)
            check_text(code, file, "the whole file")
        except CoralError as error:
            dropped.append(Dropped(source, "unparseable", " ".join(str(error).split())))
            continue
        if code.strip():
            candidates.append(Candidate(source, code))
    return candidates, dropped
