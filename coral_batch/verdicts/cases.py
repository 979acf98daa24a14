"""Judging one program in a jail: its cases, or its test file.

The cases run one after another in one process, as QuixBugs' suite runs them in one interpreter
(the module is loaded once, its state lives on from case to case). A case that costs the process
its life (TIMEOUT, CRASH, an early exit, memory) costs the others nothing: each of those that have
not run yet then runs in a process of its own.
"""

from __future__ import annotations

import ast
import contextlib
import json
import marshal
import signal
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts import compare
from coral_batch.verdicts.inside.zygote import PROGRAM, REFEREE
from coral_batch.verdicts.jail import Child, Ended, Expired, Flooded, Jail, Limits

# Processor seconds that forking and loading cost an honest process, not charged to its cases.
_STARTUP = 0.02


class _Stop(Exception):
    """The process can answer no more: kind and detail of the case that it was at."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind: Kind = kind
        self.detail = detail


class _Unloaded(Exception):
    """The module gives no function: kind and detail of every case."""

    def __init__(self, kind: Kind, detail: str, cpu: float) -> None:
        super().__init__(kind, detail)
        self.kind: Kind = kind
        self.detail = detail
        self.cpu = cpu


def judge_cases(
    jail: Jail, program: Program, limits: Limits, only: Sequence[int] | None = None
) -> dict[int, Verdict]:
    """Judge JSON cases.

    Args:
        jail: where to run them.
        program: the program with its cases.
        limits: for loading the module, and for each case.
        only: numbers of the cases to judge, default all.

    Returns:
        Case number -> verdict. After a TIMEOUT the cases that have not run yet are missing, so
        that the caller can spread them; any other end is dealt with here.
    """
    numbers = list(range(len(program.cases)) if only is None else only)
    verdicts: dict[int, Verdict] = {}
    together = True
    while len(verdicts) < len(numbers):
        rest = [number for number in numbers if number not in verdicts]
        group = rest if together else rest[:1]
        done = _run(jail, program, limits, group)
        verdicts |= done
        if any(verdict.kind == "TIMEOUT" for verdict in done.values()):
            break
        together = False
    return verdicts


def _run(jail: Jail, program: Program, limits: Limits, numbers: list[int]) -> dict[int, Verdict]:
    """Run cases in one process, until they are done or it is dead."""
    calls = [marshal.dumps(program.cases[number].inputs) for number in numbers]
    kinds: list[tuple[Kind, str]] = []
    cpu: list[float] = []
    read: list[float] = []
    start = time.perf_counter()
    frame = _program_frame(program, calls, interactive=False)
    with jail.child(PROGRAM, limits.cpu_seconds * (len(numbers) + 1), frame) as child:
        child.settle()
        try:
            _loaded(child, limits)
            for number in numbers:
                answer = _answer(child, limits)
                cpu.append(_seconds(answer))
                kinds.append(_verdict(program, number, answer))
                read.append(time.perf_counter())
                if answer[0] == "memory":  # which it may still hold
                    break
        except _Unloaded as stop:
            kinds = [(stop.kind, stop.detail)] * len(numbers)
            cpu = [stop.cpu] * len(numbers)
        except _Stop as stop:
            kinds.append((stop.kind, stop.detail))
        read += [time.perf_counter()] * (len(kinds) - len(read))
        ending = child.stop()
    if ending.quick:  # all answers were read together
        share = (read[-1] - start) / len(read)
        wall = [share] * len(read)
    else:
        wall = [now - before for before, now in pairwise([start, *read])]
    # The process says how long each call took; what the kernel counted beyond that is charged to
    # all of them alike, so that understating helps nobody. A case that never answered gets it all.
    hidden = max(0.0, ending.cpu_seconds - sum(cpu) - _STARTUP)
    if len(cpu) < len(kinds):
        cpu.append(hidden)
    else:
        cpu = [seconds + hidden / len(cpu) for seconds in cpu]
    return {
        number: Verdict(number, None, kind, detail, seconds, elapsed)
        for number, (kind, detail), seconds, elapsed in zip(numbers, kinds, cpu, wall, strict=False)
    }


def judge_tests(jail: Jail, apart: Jail, program: Program, limits: Limits) -> dict[int, Verdict]:
    """Judge the functions of a test file, in their order.

    The program runs in `jail`, the test file in the jail `apart`; see `inside/referee.py`. A test
    that costs the program's process its life leaves the next one a fresh process; one that costs
    the test file's its own, a fresh copy of both.

    Raises:
        CoralError: the test file has no tests or does not run.
    """
    names = test_names(program)
    verdicts: dict[int, Verdict] = {}
    while len(verdicts) < len(names):
        _referee(jail, apart, program, limits, verdicts)
    return verdicts


def _referee(
    jail: Jail, apart: Jail, program: Program, limits: Limits, verdicts: dict[int, Verdict]
) -> None:
    """Add verdicts on the tests that have none, until the test file's process is dead."""
    names = test_names(program)
    first = len(verdicts)
    own = Limits(limits.cpu_seconds / 5, limits.wall_seconds, limits.memory_mb)
    with contextlib.ExitStack() as stack:
        total = limits.cpu_seconds * (len(names) + 1)
        frame = marshal.dumps((program.problem, program.tests, program.support, first))
        referee = stack.enter_context(apart.child(REFEREE, total, frame))
        remote = _Remote(jail, program, limits, stack)
        for number in range(first, len(names)):
            remote.cpu = 0.0
            start = time.perf_counter()
            try:
                kind, detail = _test(referee, remote, own, program)
                alive = True
            except _Stop as stop:
                kind, detail = stop.kind, stop.detail + " in the test, on what it returned"
                alive = False
            verdicts[number] = Verdict(
                number,
                names[number],
                kind,
                compare.shorten(detail),
                remote.cpu,
                time.perf_counter() - start,
            )
            if not alive:
                return


def _test(referee: Child, remote: _Remote, limits: Limits, program: Program) -> tuple[Kind, str]:
    """Serve the calls of one test until it ends."""
    while True:
        try:
            message = json.loads(referee.receive(limits))
        except Expired as expired:
            raise _Stop("TIMEOUT", f"no end after {expired}") from None
        except Ended:
            raise _ended(referee, limits) from None
        if message[0] == "broken":
            raise CoralError(f"the test file of {program.problem} does not run", found=message[1])
        if message[0] == "end":
            return message[1], message[2]
        referee.send(json.dumps(remote.call(json.dumps(message[1]).encode())).encode())


class _Remote:
    """The function under test as the test file calls it: a process that lives on between calls."""

    def __init__(
        self, jail: Jail, program: Program, limits: Limits, stack: contextlib.ExitStack
    ) -> None:
        self._jail = jail
        self._program = program
        self._limits = limits
        self._stack = stack
        self._child: Child | None = None
        self.cpu = 0.0

    def call(self, arguments: bytes) -> tuple[str, Any]:
        """Run one call.

        Returns:
            ``("value", (document, text))``, or a verdict's kind and detail.
        """
        try:
            child = self._start()
            child.send(arguments)
            answer = _answer(child, self._limits)
        except (_Unloaded, _Stop) as stop:
            if self._child is not None:
                self.cpu += self._child.stop().cpu_seconds
            self._child = None
            return stop.kind, stop.detail
        self.cpu += _seconds(answer)
        if answer[0] == "value":
            try:
                return "value", (answer[2], compare.show(answer[2]))
            except (ValueError, IndexError, TypeError) as error:
                return "FAIL", compare.shorten(f"returned something unreadable: {error}")
        return _failure(answer)

    def _start(self) -> Child:
        if self._child is None:
            seconds = self._limits.cpu_seconds * 20
            frame = _program_frame(self._program, [], interactive=True)
            self._child = self._stack.enter_context(self._jail.child(PROGRAM, seconds, frame))
            _loaded(self._child, self._limits)
        return self._child


def test_names(program: Program) -> list[str]:
    """Return the names of the test functions in the file's order.

    Raises:
        CoralError: there are none, or the file is no Python.
    """
    try:
        body = ast.parse(program.tests or "").body
    except SyntaxError as error:
        raise CoralError(
            f"the test file of {program.problem} is no Python", found=str(error)
        ) from None
    names = [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    if not names:
        raise CoralError(
            f"{program.problem} has neither cases nor tests",
            expected="JSON cases, or a test file with functions named test*",
        )
    return names


def _program_frame(program: Program, calls: list[bytes], interactive: bool) -> bytes:
    return marshal.dumps((program.problem, program.code, program.support, calls, interactive))


def _loaded(child: Child, limits: Limits) -> None:
    """Wait until the module is loaded.

    Raises:
        _Unloaded: it was not.
    """
    try:
        answer = _answer(child, limits)
    except _Stop as stop:
        detail = stop.detail + " while loading the module"
        raise _Unloaded(stop.kind, detail, child.stop().cpu_seconds) from None
    if answer[0] == "unparseable":
        raise _Unloaded("UNPARSEABLE", compare.shorten(str(answer[1])), 0.0)
    if answer[0] == "error":
        raise _Unloaded("ERROR", compare.shorten(str(answer[2])), _seconds(answer))
    if answer[0] == "memory":
        raise _Unloaded("MEMORY", _memory(limits), _seconds(answer))


def _verdict(program: Program, number: int, answer: list[Any]) -> tuple[Kind, str]:
    """Judge the answer to one case."""
    case = program.cases[number]
    if answer[0] == "value":
        try:
            if compare.equal(program.problem, case.inputs, case.expected, answer[2]):
                return "PASS", ""
            return "FAIL", compare.shorten("returned " + compare.show(answer[2]))
        except ValueError as error:
            return "FAIL", compare.shorten(f"returned something unreadable: {error}")
    return _failure(answer)


def _failure(answer: list[Any]) -> tuple[Kind, str]:
    if answer[0] == "error":
        return "ERROR", compare.shorten(str(answer[2]))
    if answer[0] == "large":
        return "FAIL", "returned more than a result may hold"
    return "MEMORY", "MemoryError"


def _answer(child: Child, limits: Limits) -> list[Any]:
    """Return the next answer of a program's process, checked for its form.

    Raises:
        _Stop: there is none, and the process is dead.
    """
    try:
        frame = child.receive(limits)
    except Expired as expired:
        raise _Stop("TIMEOUT", f"no result after {expired}") from None
    except Flooded:
        raise _Stop("FAIL", "returned more than a result may hold") from None
    except Ended:
        raise _ended(child, limits) from None
    try:
        answer = _parse(frame.decode("ascii"))
        length = _FORMS[answer[0]]
        if type(answer) is list and len(answer) == length:
            return answer
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        pass
    child.stop()
    raise _Stop("ERROR", "wrote to the result channel")


_parse = json.JSONDecoder().decode
_FORMS = {"loaded": 2, "unparseable": 2, "error": 3, "memory": 2, "large": 2, "value": 3}


def _ended(child: Child, limits: Limits) -> _Stop:
    """Tell why a process went without an answer."""
    try:
        ending = child.await_end(limits)
    except Expired as expired:
        return _Stop("TIMEOUT", f"no result after {expired}")
    if not ending.signal:
        return _Stop("ERROR", f"ended with status {ending.exit_status} before it gave a result")
    if ending.signal == signal.SIGKILL and ending.cpu_seconds >= limits.cpu_seconds:
        return _Stop("TIMEOUT", f"no result after {ending.cpu_seconds:.0f} s of processor time")
    return _Stop("CRASH", f"killed by {signal.Signals(ending.signal).name}")


def _seconds(answer: list[Any]) -> float:
    value = answer[1]
    return value * 1e-9 if type(value) is int and 0 <= value < 1 << 50 else 0.0


def _memory(limits: Limits) -> str:
    return f"MemoryError at {limits.memory_mb} MiB"
