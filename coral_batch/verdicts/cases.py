"""Judge one program in a jail on its JSON cases.

The cases run one after another in one process, as in QuixBugs' suite: the module is loaded once and
keeps its state between cases. If a case kills the process (TIMEOUT, CRASH, an early exit, memory),
each remaining case runs in its own process.

The limits apply once to loading the module and once to each case.
"""

from __future__ import annotations

import marshal
import time
from collections.abc import Sequence

from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts import compare
from coral_batch.verdicts.answers import Reply, defect, failure, load, receive
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.inside.zygote import PROGRAM
from coral_batch.verdicts.jail import Jail, Stop
from coral_batch.verdicts.timing import charge, repeated

# Seconds after which remaining cases that need another process are left to the caller.
_PATIENCE = 0.5


def judge_cases(
    jail: Jail,
    program: Program,
    limits: Verdicts,
    only: Sequence[int] | None = None,
    *,
    timed: bool = False,
) -> dict[int, Verdict]:
    """Judge JSON cases.

    Args:
        jail: where to run them.
        program: the program with its cases.
        limits: for loading the module, and for each case.
        only: numbers of the cases to judge, at least one; default all.
        timed: measure processor times below a millisecond; see `timing`.

    Returns:
        Case number -> verdict, for at least one case. After a TIMEOUT or a slow death of the
        process the remaining cases are missing, so that the caller can distribute them.

    Raises:
        JailError: the jail or the machine failed.
    """
    left = list(range(len(program.cases)) if only is None else only)
    verdicts: dict[int, Verdict] = {}
    start = time.monotonic()
    most = 0.0
    group = left
    while left:
        try:
            done, used = _run(jail, program, limits, group)
        except Exception as error:  # a catch-all; expected errors are handled above
            kind, detail = defect(error)
            number, used = group[0], 0.0
            # With several cases, retry one by one to find the cause.
            done = [Verdict(number, None, kind, detail, 0.0, 0.0)] if len(group) == 1 else []
        verdicts |= {verdict.case: verdict for verdict in done}
        left = [number for number in left if number not in verdicts]
        most = max(most, used)
        late = time.monotonic() - start > _PATIENCE
        if verdicts and (late or any(verdict.kind == "TIMEOUT" for verdict in done)):
            break
        group = left[:1]
    return repeated(jail, program, limits, verdicts, most) if timed else verdicts


def _run(
    jail: Jail, program: Program, limits: Verdicts, numbers: list[int]
) -> tuple[list[Verdict], float]:
    """Run cases in one process until all are done or the process is dead.

    Returns:
        The verdicts, and the process's processor seconds by the kernel's count, minus those charged
        to cases that did not pass.
    """
    calls = [marshal.dumps(program.cases[number].inputs) for number in numbers]
    kinds: list[tuple[Kind, str]] = []
    claims: list[float] = []
    concerned = len(numbers)  # cases that fail if the process ends: all, until loading is done
    start = time.perf_counter()
    frame = program_frame(program, calls, interactive=False)
    with jail.child(PROGRAM, limits.cpu_seconds * (len(numbers) + 1), frame) as child:
        child.settle()
        try:
            load(child, limits)
            concerned = 1
            for number in numbers:
                answer = receive(child, Clock(limits))
                claims.append(answer.seconds)
                kinds.append(_verdict(program, number, answer))
                if answer.kind == "memory":  # it may still hold the memory
                    break
        except Stop as stop:
            kinds += [(stop.kind, stop.detail)] * concerned
        used = child.stop().cpu_seconds
    wall = (time.perf_counter() - start) / len(kinds)
    cpu = charge(claims, len(kinds), used)
    verdicts = [
        Verdict(number, None, kind, detail, seconds, wall)
        for number, (kind, detail), seconds in zip(numbers, kinds, cpu, strict=False)
    ]
    return verdicts, used - sum(one.cpu_seconds for one in verdicts if one.kind != "PASS")


def program_frame(program: Program, calls: list[bytes], interactive: bool) -> bytes:
    """Return the first frame for a program's process; see `inside/program.py`."""
    return marshal.dumps((program.function, program.code, program.support, calls, interactive))


def _verdict(program: Program, number: int, answer: Reply) -> tuple[Kind, str]:
    """Judge the answer to one case."""
    if answer.kind != "value":
        return failure(answer)
    case = program.cases[number]
    if compare.equal(case.expected, answer.document, case.tolerance):
        return "PASS", ""
    return "FAIL", compare.shorten("returned " + compare.show(answer.document))
