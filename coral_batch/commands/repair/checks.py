"""The tests of a file: read, and run in the jail on candidates for it.

A test file in pytest's style, JSON cases of the one function, or the examples in the file's
docstrings. What is read of each is said in `coral_batch.corpus.sources`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from coral_batch.commands.repair.objects import PROGRAM, UNCROSSABLE
from coral_batch.commands.repair.source import Source, check_function, functions_of, read_utf8
from coral_batch.commands.repair.whole import SUPPORT, checks_of, code_of
from coral_batch.corpus.sources.asserts import Checks
from coral_batch.corpus.sources.doctests import parse_doctests
from coral_batch.corpus.sources.grouping import Test, TestFile, by_function, function_of
from coral_batch.corpus.sources.problems import read_cases
from coral_batch.corpus.sources.programs import check_imports, imported, parse_program
from coral_batch.corpus.sources.pytestfiles import parse_tests
from coral_batch.corpus.sources.rows import Lost
from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind, Program, Verdict

Tested = Mapping[str, Checks]
"""Function -> its tests; `WHOLE` -> those of classes, or of several functions at once."""

WHOLE = "the whole file"
"""Stands for the function where tests are not of a single one."""

_JSON = (".json", ".jsonl")

_NUMBERS = ("decimal", "fractions")
"""Modules of the standard library with numbers of their own."""


@dataclass(frozen=True)
class Failure:
    """A test that a file fails.

    Attributes:
        function: the function that it calls.
        number: its number among that function's tests, from 0.
        test: the call, or the statements of the test function.
        expected: what the call returns in a right program; None where the statements say it.
        kind: the kind of its verdict, e.g. ``FAIL`` or ``TIMEOUT``.
        got: what came of it.
    """

    function: str
    number: int
    test: str
    expected: str | None
    kind: Kind
    got: str

    @property
    def id(self) -> tuple[str, int]:
        """What tells the test from the others."""
        return self.function, self.number


def read_tests(
    source: Source, tests: Path | None, function: str | None, packages: Collection[str] = ()
) -> tuple[str, Tested]:
    """Read the tests of a file.

    Args:
        source: the file.
        tests: a test file in pytest's style, or JSON cases (``.json``, ``.jsonl``), a line each;
            None for the examples in the docstrings.
        function: the function to repair; None where the tests call a single one.
        packages: what the jail has besides the standard library.

    Returns:
        The function to repair, and the tests of every function that they call.

    Raises:
        CoralError: there are no tests, they cannot be read or call several functions while none is
            named, or the file has no such function or imports what the jail does not have.
    """
    if function is not None:
        check_function(source, function)
    if tests is not None and tests.suffix in _JSON:
        read_utf8(tests)
        function = function or _only(source, _functions(source), "the file defines")
        found: Tested = {function: Checks(cases=read_cases(tests))}
    elif tests is not None and tests.suffix != ".py":
        raise CoralError(
            "the tests are in no form that is read",
            file=tests,
            expected="a test file (.py) or JSON cases (.json, .jsonl)",
        )
    else:
        found = parse_all(source, tests, packages)
        if not found:
            raise CoralError(
                "there are no tests",
                file=source.file,
                expected="--tests, or examples in the file's docstrings",
            )
        if function is None:
            function = _only(source, list(found), "the tests call")
            check_function(source, function)
    check_tested(source, found, packages)
    return function, found


def parse_all(source: Source, tests: Path | None, packages: Collection[str] = ()) -> Tested:
    """Read the tests of all functions of a file.

    Args:
        source: the file.
        tests: a test file in pytest's style; None for the examples in the docstrings, of which
            there may be none.
        packages: what the jail has besides the standard library.

    Raises:
        CoralError: they cannot be read.
    """
    name = source.file.stem
    with _mendable(tests or source.file):
        if tests is None:
            read = parse_doctests(name, source.tree, True, packages)
        else:
            text = read_utf8(tests).removeprefix("\ufeff")
            read = parse_tests(text, name, source.tree, packages)
        groups: dict[str, list[Test]] = {}
        for test in read.tests:
            groups.setdefault(_group(test, read), []).append(test)
        # By the rules for cases such a number equals nothing, whatever its `==` says.
        numbers = imported(source.tree) & {*_NUMBERS, *packages}
        return {
            name: _checks(name, replace(read, tests=tests), cases=not numbers)
            for name, tests in groups.items()
        }


def _group(test: Test, file: TestFile) -> str:
    """Return the single function that a test is of; `WHOLE` for any other test."""
    try:
        return function_of(test, file)
    except Lost:
        return WHOLE


def _checks(group: str, file: TestFile, cases: bool) -> Checks:
    """Return tests as cases where they may and can be such, else as tests with stand-ins."""
    if cases and group != WHOLE:
        with suppress(Lost):
            found = by_function(file)[group]
            if found.cases and all(_is_strict(group, case) for case in found.cases):
                return found
    return checks_of(file)


def _is_strict(function: str, case: Case) -> bool:
    """Whether the rules for cases let nothing pass that `==` does not.

    They take a tuple or an iterator for a list, and QuixBugs' tolerance for `sqrt`.
    """
    values = [case.expected]
    for value in values:
        if isinstance(value, dict):
            values += value.values()
    return function != "sqrt" and not any(isinstance(value, list) for value in values)


def check_tested(source: Source, tested: Tested, packages: Collection[str] = ()) -> None:
    """Check that the jail can run a file.

    Raises:
        CoralError: it imports what the jail does not have, or lacks a function that is tested.
    """
    for function in tested:
        with _mendable(source.file):
            if function == WHOLE:
                check_imports(imported(source.tree), "the program imports", packages)
            else:
                parse_program(source.text, function, packages=packages)


@contextmanager
def _mendable(file: Path) -> Iterator[None]:
    try:
        yield
    except Lost as lost:
        raise CoralError(
            "the file cannot be tested",
            file=file,
            found=lost.detail,
            action=f"let packages in by --allow; tests import this program as {file.stem}"
            if lost.reason == "imports"
            else "see docs/repair.md for what is read",
        ) from None


def _functions(source: Source) -> list[str]:
    return [node.name for node in source.tree.body if isinstance(node, ast.FunctionDef)]


def _only(source: Source, names: Sequence[str], who: str) -> str:
    if len(names) != 1 or names == [WHOLE]:
        choice = functions_of(source.tree) if WHOLE in names else names
        raise CoralError(
            "it is not clear which function to repair",
            file=source.file,
            found=f"{who} {', '.join(names) or 'none'}",
            expected=f"--function NAME, one of {', '.join(dict.fromkeys(choice))}"
            if choice
            else "a def at module level, or a method and tests that are no cases",
        )
    return names[0]


def size(tested: Tested) -> int:
    """Return how many tests there are."""
    return sum(len(one.cases) or len(_tests(one)) for one in tested.values())


def failures(sources: Sequence[Source], tested: Tested, limits: Verdicts) -> list[list[Failure]]:
    """Run all tests on files, in the jail.

    Args:
        sources: what the file may be.
        tested: the tests.
        limits: of each test, and the layers of isolation to insist on.

    Returns:
        What each fails.

    Raises:
        CoralError: the tests do not run, or there is no jail.
    """
    from coral_batch.verdicts.pool import judge

    programs = [
        Program(f"{number}/{function}", function, source.text, one.cases, None, {})
        if one.cases
        else Program(f"{number}/{function}", PROGRAM, code_of(source.text), (), one.tests, SUPPORT)
        for number, source in enumerate(sources)
        for function, one in tested.items()
    ]
    # In this process: to start others takes longer than a handful of programs.
    judged = iter(judge(programs, limits, workers=1))
    return [
        [
            _failure(function, one, verdict)
            for function, one in tested.items()
            for verdict in next(judged)
            if verdict.kind != "PASS"
        ]
        for _ in sources
    ]


def failures_of(source: Source, tested: Tested, limits: Verdicts) -> list[Failure]:
    """Run all tests on a file as it is; return what it fails.

    Args:
        source: the file.
        tested: the tests.
        limits: as in `failures`.

    Raises:
        CoralError: as in `failures`, or a test gives the program what cannot cross.
    """
    (failed,) = failures([source], tested, limits)
    for one in failed:
        if one.expected is None and UNCROSSABLE in one.got:
            raise CoralError(
                "a test cannot be run on the file",
                file=source.file,
                field=one.test,
                found=one.got,
                expected="plain data, or objects that the program made",
                action="see docs/repair.md for what is read",
            )
    return failed


def _failure(function: str, checks: Checks, verdict: Verdict) -> Failure:
    got = verdict.detail if verdict.kind in ("FAIL", "ERROR") else ""
    got = got or f"{verdict.kind}: {verdict.detail}"
    if checks.cases:
        case = checks.cases[verdict.case]
        call = f"{function}({', '.join(map(repr, case.inputs))})"
        return Failure(function, verdict.case, call, repr(case.expected), verdict.kind, got)
    test = _tests(checks)[verdict.case]
    return Failure(function, verdict.case, test, None, verdict.kind, got)


def single(tested: Tested, failure: Failure) -> Tested:
    """Return one test alone, the one that was failed."""
    checks = tested[failure.function]
    if checks.cases:
        return {failure.function: Checks(cases=(checks.cases[failure.number],))}
    tree = ast.parse(checks.tests or "")
    tests = [node for node in tree.body if _is_test(node)]
    tree.body = [node for node in tree.body if not _is_test(node) or node is tests[failure.number]]
    return {failure.function: Checks(tests=ast.unparse(tree))}


def _tests(checks: Checks) -> list[str]:
    """Return the statements of each test function."""
    return [
        "\n".join(map(ast.unparse, node.body))
        for node in ast.parse(checks.tests or "").body
        if _is_test(node)
    ]


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")
