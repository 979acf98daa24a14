"""Judging one program in a jail on its JSON cases.

The cases run one after another in one process, as QuixBugs' suite runs them in one interpreter
(the module is loaded once, its state lives on from case to case). A case that costs the process
its life (TIMEOUT, CRASH, an early exit, memory) costs the others nothing: each of those that have
not run yet then runs in a process of its own.

A process may take its limits once for loading the module and once for each of its cases, until it
is dead, whatever it does with them.
"""

from __future__ import annotations

import marshal
import time
from collections.abc import Sequence
from itertools import pairwise

from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts import compare
from coral_batch.verdicts.answers import Reply, Stop, Unloaded, call, defect, failure, load
from coral_batch.verdicts.charge import charge
from coral_batch.verdicts.clock import Clock, Limits
from coral_batch.verdicts.inside.zygote import PROGRAM
from coral_batch.verdicts.jail import Jail

# Seconds after which cases that would need another process are left to the caller.
_PATIENCE = 0.5


def judge_cases(
    jail: Jail, program: Program, limits: Limits, only: Sequence[int] | None = None
) -> dict[int, Verdict]:
    """Judge JSON cases.

    Args:
        jail: where to run them.
        program: the program with its cases.
        limits: for loading the module, and for each case.
        only: numbers of the cases to judge, default all; not none.

    Returns:
        Case number -> verdict, of one case at least. After a TIMEOUT, or another end of a process
        that took long, the cases that have not run yet are missing, so that the caller can spread
        them.

    Raises:
        JailError: the jail or the machine failed.
    """
    return judge_counted(jail, program, limits, only)[0]


def judge_counted(
    jail: Jail, program: Program, limits: Limits, only: Sequence[int] | None = None
) -> tuple[dict[int, Verdict], float]:
    """Judge JSON cases as `judge_cases` does, and tell what they may really have taken.

    Returns:
        Its verdicts; and the processor seconds that the kernel counted for a process and that are
        not charged to cases which it did not pass, at most.
    """
    numbers = list(range(len(program.cases)) if only is None else only)
    verdicts: dict[int, Verdict] = {}
    start = time.monotonic()
    together = True
    most = 0.0
    while len(verdicts) < len(numbers):
        rest = [number for number in numbers if number not in verdicts]
        group = rest if together else rest[:1]
        done, used = _judge(jail, program, limits, group)
        verdicts |= done
        most = max(most, used)
        late = time.monotonic() - start > _PATIENCE
        if verdicts and (late or any(verdict.kind == "TIMEOUT" for verdict in done.values())):
            break
        together = False
    return verdicts, most


def _judge(
    jail: Jail, program: Program, limits: Limits, numbers: list[int]
) -> tuple[dict[int, Verdict], float]:
    """Judge cases in one process; none when the judge fails, which is to try them one by one."""
    try:
        return _run(jail, program, limits, numbers)
    except Exception as error:  # the last guard; what is foreseen has a verdict of its own
        kind, detail = defect(error)
        if len(numbers) > 1:
            return {}, 0.0
        return {numbers[0]: Verdict(numbers[0], None, kind, detail, 0.0, 0.0)}, 0.0


def _run(
    jail: Jail, program: Program, limits: Limits, numbers: list[int]
) -> tuple[dict[int, Verdict], float]:
    """Run cases in one process, until they are done or it is dead."""
    calls = [marshal.dumps(program.cases[number].inputs) for number in numbers]
    kinds: list[tuple[Kind, str]] = []
    claims: list[float] = []
    read: list[float] = []
    start = time.perf_counter()
    frame = program_frame(program, calls, interactive=False)
    with jail.child(PROGRAM, limits.cpu_seconds * (len(numbers) + 1), frame) as child:
        child.settle()
        try:
            load(child, limits)
            for number in numbers:
                answer = call(child, Clock(limits))
                claims.append(answer.seconds)
                kinds.append(_verdict(program, number, answer))
                read.append(time.perf_counter())
                if answer.kind == "memory":  # which it may still hold
                    break
        except Unloaded as stop:
            kinds = [(stop.kind, stop.detail)] * len(numbers)
        except Stop as stop:
            kinds.append((stop.kind, stop.detail))
        read += [time.perf_counter()] * (len(kinds) - len(read))
        ending = child.stop()
    if ending.quick:  # all answers were read together
        share = (read[-1] - start) / len(read)
        wall = [share] * len(read)
    else:
        wall = [now - before for before, now in pairwise([start, *read])]
    cpu = charge(claims, len(kinds), ending.cpu_seconds)
    verdicts = {
        number: Verdict(number, None, kind, detail, seconds, elapsed)
        for number, (kind, detail), seconds, elapsed in zip(numbers, kinds, cpu, wall, strict=False)
    }
    failed = (one.cpu_seconds for one in verdicts.values() if one.kind != "PASS")
    return verdicts, ending.cpu_seconds - sum(failed)


def program_frame(program: Program, calls: list[bytes], interactive: bool) -> bytes:
    """Write the first frame for a program's process; see `inside/program.py`."""
    return marshal.dumps((program.function, program.code, program.support, calls, interactive))


def _verdict(program: Program, number: int, answer: Reply) -> tuple[Kind, str]:
    """Judge the answer to one case."""
    if answer.kind != "value":
        return failure(answer)
    case = program.cases[number]
    if compare.equal(case.expected, answer.document, case.tolerance):
        return "PASS", ""
    return "FAIL", compare.shorten("returned " + compare.show(answer.document))
