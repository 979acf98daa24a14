"""Read the bundled snippets: small clean programs with JSON cases.

The layout is that of the bundled problems, without the buggy side:
``correct_python_programs/NAME.py`` with a function of that name, and ``json_testcases/NAME.json``
(one ``[inputs, expected]`` a line).
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.sources.problems import read_cases, read_function
from coral_batch.errors import CoralError
from coral_batch.records.items import Candidate


def read_snippets(folder: Path) -> list[Candidate]:
    """Read every program, sorted by name.

    Raises:
        CoralError: there is no program, or one has no cases, does not parse or lacks its function.
    """
    files = sorted((folder / "correct_python_programs").glob("*.py"))
    if not files:
        raise CoralError(
            "no snippets here",
            file=folder,
            expected="correct_python_programs/NAME.py and json_testcases/NAME.json",
            action="set linteval.path in params.yaml to such a folder",
        )
    return [
        Candidate(
            file.stem,
            read_function(file, file.stem)[0],
            function=file.stem,
            cases=read_cases(folder / "json_testcases" / f"{file.stem}.json"),
        )
        for file in files
    ]
