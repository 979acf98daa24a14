"""Read a folder in QuixBugs' layout: the bundled corpus or a QuixBugs checkout.

The layout: ``python_programs/NAME.py`` (buggy, its docstring a string at module level behind the
function), ``correct_python_programs/NAME.py``, ``json_testcases/NAME.json`` (one
``[inputs, expected]`` a line), ``python_testcases/test_NAME.py`` and ``python_testcases/node.py``.
Programs are parsed, never run. Not here: what a problem may be used for
(`coral_batch.corpus.split`).
"""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from coral_batch.corpus.split import NAMES
from coral_batch.corpus.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.records.problem import Case, Problem
from coral_batch.verdicts.inside import syntax

FOLDERS = ("python_programs", "correct_python_programs", "json_testcases", "python_testcases")
# Modules that test files import, and QuixBugs' own drivers, which are no problems.
SUPPORT = "node"
_DRIVER = "_test"


def read_layout(folder: Path, origin: str) -> list[Problem]:
    """Read every problem of `folder`, sorted by name.

    Args:
        folder: the corpus in QuixBugs' layout.
        origin: what to record as each problem's origin.

    Raises:
        CoralError: a folder or file is missing, one of the 40 names is missing, a program does not
            parse or has no function of its name, a case line is not ``[inputs, expected]``, or a
            problem has neither cases nor a test file.
    """
    for name in FOLDERS:
        if not (folder / name).is_dir():
            raise CoralError(
                "the corpus folder is not in QuixBugs' layout",
                file=folder,
                field=name,
                found="no such folder",
                expected=f"the folders {', '.join(FOLDERS)}",
                action="set corpus.path in params.yaml to such a folder",
            )
    names = sorted(
        file.stem
        for file in (folder / "python_programs").glob("*.py")
        if file.stem != SUPPORT and not file.stem.endswith(_DRIVER) and file.stem != "__init__"
    )
    missing = sorted(NAMES - set(names))
    if missing:
        raise CoralError(
            "the corpus lacks problems",
            file=folder / "python_programs",
            found=f"{len(names)} programs, without {', '.join(missing)}",
            expected=f"the {len(NAMES)} QuixBugs programs",
        )
    return [_read_problem(folder, name, origin) for name in names]


def _read_problem(folder: Path, name: str, origin: str) -> Problem:
    buggy, docstring = _read_program(folder / "python_programs" / f"{name}.py", name)
    reference, _ = _read_program(folder / "correct_python_programs" / f"{name}.py", name)
    cases_file = folder / "json_testcases" / f"{name}.json"
    cases = read_cases(cases_file) if cases_file.exists() else ()
    tests, support = None, {}
    if not cases:
        tests = read_text(folder / "python_testcases" / f"test_{name}.py")
        support = {SUPPORT: read_text(folder / "python_testcases" / f"{SUPPORT}.py")}
    unhashed = Problem(name, buggy, reference, docstring, cases, tests, support, origin, "")
    return Problem(**{**vars(unhashed), "sha256": digest(unhashed)})


def digest(problem: Problem) -> str:
    """Return the hash of a problem's content: of all fields but origin and hash."""
    content = asdict(problem)
    del content["origin"], content["sha256"]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read_program(file: Path, name: str) -> tuple[str, str]:
    """Return the code without module-level strings, and the first of those strings.

    QuixBugs keeps docstrings and alternative solutions in such strings.
    """
    source, tree = read_function(file, name)
    lines: list[str | None] = list(source.split("\n"))
    strings = []
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                strings.append(node.value.value)
            assert node.end_lineno is not None
            for index in range(node.lineno - 1, node.end_lineno):
                lines[index] = None
    code = "\n".join(line for line in lines if line is not None)
    return code.strip("\n").rstrip() + "\n", strings[0].strip() if strings else ""


def read_function(file: Path, name: str) -> tuple[str, ast.Module]:
    """Read a program that defines a function.

    Raises:
        CoralError: the file cannot be read, does not parse or has no function of that name.
    """
    source = read_text(file)
    try:
        tree = syntax.parse(source)
    except SyntaxError as error:
        raise CoralError("a program does not parse", file=file, found=str(error)) from None
    if not any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body):
        raise CoralError(
            "a program lacks its function", file=file, expected=f"def {name}(...) at module level"
        )
    return source, tree


def read_cases(file: Path) -> tuple[Case, ...]:
    """Read JSON cases, one ``[inputs, expected]`` a line.

    Raises:
        CoralError: the file cannot be read, a line is something else, or there is none.
    """
    cases = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        value = strictjson.parse(line, file, f"line {number}")
        if not isinstance(value, list) or len(value) != 2:
            raise CoralError(
                "a test case is not a pair",
                file=file,
                field=f"line {number}",
                found=value,
                expected="[inputs, expected]",
            )
        inputs, expected = value
        cases.append(Case(tuple(inputs) if isinstance(inputs, list) else (inputs,), expected))
    if not cases:
        raise CoralError("no test case", file=file, expected="one [inputs, expected] a line")
    return tuple(cases)
