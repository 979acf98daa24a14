"""Judge one program in a jail on its problem's test file.

The program runs in one jail, the test file in another; see `inside/referee.py`. If a test kills the
program's process, the next test gets a fresh one. If it kills the test file's process, both are
replaced. Both are also replaced if they share classes, since instances may outlive a test.

All calls of a test share one limit, without loading the module. The same limit holds for the test
file's own code.
"""

from __future__ import annotations

import ast
import contextlib
import json
import marshal
import time
from collections import defaultdict
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.records.problem import Suite
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts import compare
from coral_batch.verdicts.answers import defect, failure, load, receive
from coral_batch.verdicts.cases import program_frame
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.inside import syntax
from coral_batch.verdicts.inside.zygote import PROGRAM, REFEREE
from coral_batch.verdicts.jail import Child, Jail, Stop
from coral_batch.verdicts.timing import charge


def judge_tests(jail: Jail, apart: Jail, program: Program, limits: Verdicts) -> dict[int, Verdict]:
    """Judge the functions of a test file, in order.

    Args:
        jail: where the program runs.
        apart: where the test file runs.
        program: the program with its test file.
        limits: for loading the module, and for each test.

    Raises:
        CoralError: the test file has no tests or does not run.
        JailError: a jail or the machine failed.
    """
    names = test_names(program)
    verdicts: dict[int, Verdict] = {}
    while len(verdicts) < len(names):
        verdicts |= _run(jail, apart, program, limits, len(verdicts))
    return verdicts


def test_names(program: Program) -> list[str]:
    """Return the names of the test functions in the file's order.

    Raises:
        CoralError: there are none, or the file is not valid Python.
    """
    try:
        body = syntax.parse(_source(program)).body
    except SyntaxError as error:
        raise CoralError(
            f"the test file of {program.function} is not valid Python", found=str(error)
        ) from None
    names = [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    if not names:
        raise CoralError(
            f"{program.function} has neither cases nor tests",
            expected="JSON cases, or a test file with functions named test*",
        )
    return names


def _source(program: Program) -> str:
    """Return the source of the test file; not for a project's tests."""
    assert not isinstance(program.tests, Suite)
    return program.tests or ""


def _run(
    jail: Jail, apart: Jail, program: Program, limits: Verdicts, first: int
) -> dict[int, Verdict]:
    """Judge the tests from number `first` on, until the test file's process is dead."""
    names = test_names(program)
    total = limits.cpu_seconds * (len(names) + 1)
    found: list[tuple[Kind, str, float]] = []
    frame = marshal.dumps((program.function, _source(program), program.support, names[first:]))
    with (
        apart.child(REFEREE, total, frame) as referee,
        contextlib.closing(_Remote(jail, program, limits, total)) as remote,
    ):
        alive = True
        while alive and first + len(found) < len(names):
            start = time.perf_counter()
            remote.begin(first + len(found))
            try:
                kind, detail = _test(referee, remote, limits, program)
            except Stop as stop:
                kind, detail = stop.kind, f"{stop.detail} in the test, with the returned value"
                alive = False
            except Exception as error:  # a catch-all; expected errors are handled above
                kind, detail = defect(error)
                alive = False
            if remote.stopped is not None:
                if kind == "PASS":  # the test caught a failure that is not an exception
                    kind, detail = remote.stopped
                # The test file may hold stand-ins for objects of the dead process.
                alive = alive and not program.support
            found.append((kind, compare.shorten(detail), time.perf_counter() - start))
    return {
        number: Verdict(number, names[number], kind, detail, remote.cpu[number], wall)
        for number, (kind, detail, wall) in enumerate(found, start=first)
    }


def _test(referee: Child, remote: _Remote, limits: Verdicts, program: Program) -> tuple[Kind, str]:
    """Serve the calls of one test until it ends."""
    clock = Clock(limits)
    called = False
    while True:
        message = json.loads(referee.receive(clock, "end"))
        if message[0] == "broken":
            if called:  # caused by a value returned to module-level statements
                raise Stop("ERROR", message[1])
            raise CoralError(f"the test file of {program.function} does not run", found=message[1])
        if message[0] == "end":
            return message[1], message[2]
        called = True
        referee.send(json.dumps(remote.call(json.dumps(message[1]).encode())).encode())


class _Remote:
    """The function under test, in a process that persists between the test file's calls.

    Attributes:
        cpu: processor seconds of each test whose process has ended.
        stopped: kind and detail of this test's call that killed the process.
    """

    def __init__(self, jail: Jail, program: Program, limits: Verdicts, total: float) -> None:
        self._jail = jail
        self._program = program
        self._limits = limits
        self._total = total
        self._child: Child | None = None
        self._test = 0
        self._clock = Clock(limits)
        self._callers: list[int] = []  # the test of each call to the process
        self._claims: list[float] = []  # the seconds that the process claims for answered calls
        self.cpu: defaultdict[int, float] = defaultdict(float)
        self.stopped: tuple[Kind, str] | None = None

    def begin(self, test: int) -> None:
        """Begin a test; all its calls share one limit."""
        self._test = test
        self._clock = Clock(self._limits)
        self.stopped = None

    def call(self, arguments: bytes) -> tuple[str, Any]:
        """Run one call.

        Returns:
            ``("value", (document, text))``, or a verdict's kind and detail, of any length.
        """
        if self.stopped is not None:  # a test that continues anyway gets no second process
            return self.stopped
        self._callers.append(self._test)
        try:
            child = self._start()
            child.send(arguments)
            answer = receive(child, self._clock)
        except Stop as stop:
            self.stopped = stop.kind, stop.detail
            self.close()
            return self.stopped
        self._claims.append(answer.seconds)
        if answer.kind == "value":
            return "value", (answer.document, compare.show(answer.document))
        if answer.kind == "error":  # not shortened: the test may check the message
            return "ERROR", answer.text
        return failure(answer)

    def close(self) -> None:
        """End the process and charge its time to its calls."""
        if self._child is not None:
            used = self._child.stop().cpu_seconds
            shares = charge(self._claims, len(self._callers), used)
            for test, seconds in zip(self._callers, shares, strict=True):
                self.cpu[test] += seconds
        self._child = None
        self._callers, self._claims = [], []

    def _start(self) -> Child:
        if self._child is None:
            frame = program_frame(self._program, [], interactive=True)
            self._child = self._jail.child(PROGRAM, self._total, frame)
            load(self._child, self._limits)
        return self._child
