"""Tests of a program as a whole: of its classes, or of several functions at once.

In the jail one function is under test. Here it is one that does whatever a test asks of the
program, with stand-ins for its objects in the tests' process; see `objects`.
"""

from __future__ import annotations

import ast
from pathlib import Path

from coral_batch.commands.repair import objects
from coral_batch.corpus.sources.asserts import Checks, definitions, loaded, test_file
from coral_batch.corpus.sources.grouping import Test, TestFile, check_new, used_of

MODULE = "program_objects"
"""By this name both processes import `objects`."""

SUPPORT = {MODULE: Path(objects.__file__).read_text(encoding="utf-8")}

_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


def code_of(text: str) -> str:
    """Return a program with the function that its tests call."""
    return f"{text}\n\nfrom {MODULE} import perform as {objects.PROGRAM}\n"


def checks_of(file: TestFile) -> Checks:
    """Return the tests of a program, in which names of it are stand-ins.

    Raises:
        Lost: two tests have one name, or one uses what the program does not define.
    """
    tests: dict[str, Test] = {}
    for test in file.tests:
        used_of(test, file)
        check_new(test, tests)
        tests[test.name] = test
    statements = [statement for test in tests.values() for statement in test.statements]
    around = definitions(file.module, loaded(*statements), "")
    read = loaded(*statements, *around)
    lines = [
        f"import {MODULE}",
        f"{MODULE}.cross = {objects.PROGRAM}",
    ]
    for name, operators in zip(("own", "among"), _operators(file.names.program), strict=True):
        lines.append(f"{MODULE}.{name} = frozenset({sorted(operators)})")
    copied: list[ast.stmt] = []
    for alias, name in file.names.functions.items():
        needed = definitions(file.names.program, {name}, "")
        if alias != name or not all(map(_is_data, needed)):
            lines.append(f"{alias} = {MODULE}.ProgramObject({name!r})")
        elif alias in read:
            copied += [node for node in needed if node not in copied]
    for alias in sorted(file.names.modules):
        lines.append(f"{alias} = {MODULE}.ProgramObject('')")
    preamble = [*ast.parse("\n".join(lines)).body, *copied, *around]
    bodies = {name: test.statements for name, test in tests.items()}
    return Checks(tests=test_file(objects.PROGRAM, bodies, preamble=preamble))


def _is_data(node: ast.stmt) -> bool:
    """Whether a statement gives a name what it has, and keeps, in the tests' process as well."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    try:
        return _fixed(ast.literal_eval(node.value))  # type: ignore[attr-defined]
    except (AttributeError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def _fixed(value: object) -> bool:
    """Whether nothing can change a value."""
    if isinstance(value, tuple | frozenset):
        return all(map(_fixed, value))
    return not isinstance(value, list | dict | set)


def _operators(program: ast.Module) -> tuple[set[str], set[str]]:
    """Return the operators that classes of a program define, and those that dataclasses get."""
    defined: set[str] = set()
    generated: set[str] = set()
    for node in ast.walk(program):
        if not isinstance(node, ast.ClassDef):
            continue
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                defined.add(part.name)
            elif isinstance(part, ast.Assign):
                defined |= {target.id for target in part.targets if isinstance(target, ast.Name)}
        for decorator in map(ast.unparse, node.decorator_list):
            name = decorator.partition("(")[0].rpartition(".")[2]
            if name == "dataclass":
                generated |= {"__eq__"}
                if "order=True" in decorator:
                    generated |= {*_ORDER}
                if "frozen=True" in decorator or "unsafe_hash=True" in decorator:
                    generated |= {"__hash__"}
            elif name == "total_ordering":
                defined |= {*_ORDER}
    return {name for name in defined if name.startswith("__") and name.endswith("__")}, generated
