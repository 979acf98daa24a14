"""flake8 and bandit on many sources: each distinct one once, in parallel, under limits.

Sources go in chunks to the workers of `coral_batch.work.parallel`; there each chunk is linted by a
forked child, which inherits the loaded linters and hands back one result after the other. So a
source that kills or stalls a linter costs that linter's findings on that source and a fork, never
another source's.

What is covered: a linter that loops (in Python, in a regular expression, in CPython's parser),
recurses too deeply, overflows the C stack or eats memory; text that is too long; a coding cookie
that lets a linter read another program than the one that runs. What is not: code is never run here,
so nothing guards the file system or the network.
"""

from __future__ import annotations

import faulthandler
import itertools
import multiprocessing
import os
import resource
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from coral_batch.linting.bandit import bandit
from coral_batch.linting.cookies import misread
from coral_batch.linting.flake8 import flake8
from coral_batch.records.finding import CRASH, ERROR, TIMEOUT, TOO_LONG, Finding, failure
from coral_batch.work.orphans import exit_when_parent_dies
from coral_batch.work.parallel import run, slots
from coral_batch.work.progress import progress

MAX_BYTES = 64 * 1024
"""Longest source that is linted, in bytes of UTF-8: many times the longest honest answer.

flake8 takes time quadratic in a line's length on some texts; up to this length it mostly finishes
within the limit below, so that how fast the machine is does not decide the findings.
"""

CPU_SECONDS = 5.0
"""CPU time that one linter has for one source (a usual source takes milliseconds)."""

WALL_SECONDS = 60.0
"""Wall-clock limit behind it, for a linter that sleeps or waits."""

MEMORY_BYTES = 1 << 30
"""Address space that the linters may take beyond what they have when they start.

A hard limit of the calling shell (``ulimit -v``) that is lower holds instead.
"""

_NO_THREAD = 3
"""Status of a child that could not start its thread."""

_CHUNK = 32
_STACK_BYTES = 64 << 20

Linter = Callable[[str], list[Finding]]


def _as_compiled(tool: str, linter: Linter, source: str) -> list[Finding]:
    """Lint a source unless its coding cookie makes it another program for the linter."""
    if misread(source):
        return [failure(tool, ERROR, "a coding cookie makes it another text")]
    return linter(source)


LINTERS: Mapping[str, Linter] = MappingProxyType(
    {
        tool: partial(_as_compiled, tool, linter)
        for tool, linter in (("flake8", flake8), ("bandit", bandit))
    }
)


def lint(
    sources: Sequence[str],
    workers: int | None = None,
    linters: Mapping[str, Linter] = LINTERS,
) -> list[list[Finding]]:
    """Lint every source.

    Args:
        sources: the texts, in any number and with any repetitions.
        workers: number of processes, >= 1; None means one a core.
        linters: tool name -> function from a source to its findings, importable by the workers.

    Returns:
        The findings of each source, in the order of `sources`; per source in the order of
        `linters`. A linter that did not finish, or of `LINTERS` one that would read another text,
        leaves one finding with a code of `coral_batch.records.finding.FAILURES`.

    Raises:
        CoralError: workers keep being killed from outside.
        MemoryError: a limit (``ulimit -d``, ``-v``) leaves no room to start a linter.
    """
    found: dict[str, list[Finding]] = {}
    distinct = list(dict.fromkeys(sources))
    size = min(_CHUNK, -(-len(distinct) // slots(workers))) or 1
    chunks = [distinct[start : start + size] for start in range(0, len(distinct), size)]
    with progress(None, "linting", len(distinct), units="sources") as bar:
        for number, findings in run(_lint_chunk, [(one, dict(linters)) for one in chunks], workers):
            found.update(zip(chunks[number], findings, strict=True))
            bar.update(len(chunks[number]))
    return [list(found[source]) for source in sources]


def _lint_chunk(chunk: list[str], linters: dict[str, Linter]) -> list[list[Finding]]:
    for linter in linters.values():
        linter("")  # loads what the children then inherit
    jobs = [(tool, source) for source in chunk for tool in linters]
    results: list[list[Finding]] = []
    while len(results) < len(jobs):
        results += _run_until_death(jobs[len(results) :], linters)
    width = len(linters)
    return [
        list(itertools.chain.from_iterable(results[start : start + width]))
        for start in range(0, len(results), width)
    ]


def _run_until_death(
    jobs: list[tuple[str, str]], linters: dict[str, Linter]
) -> list[list[Finding]]:
    """Run `jobs` in one child; if it dies, the last result says so and later jobs have none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    worker = os.getpid()
    # Not by multiprocessing, which refuses children to daemonic processes such as Dask's workers.
    child = os.fork()
    if child == 0:
        _run(jobs, linters, sender, worker)
    sender.close()
    status = None
    results: list[list[Finding]] = []
    try:
        for tool, _ in jobs:
            if not receiver.poll(WALL_SECONDS):
                message = f"no result within {WALL_SECONDS:g} s"
                results.append([failure(tool, TIMEOUT, message)])
                break
            try:
                results.append(receiver.recv())
            except EOFError:
                status = os.waitpid(child, 0)[1]
                results.append([_obituary(tool, os.waitstatus_to_exitcode(status))])
                break
    finally:
        receiver.close()
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return results


def _obituary(tool: str, exitcode: int) -> Finding:
    if exitcode == -signal.SIGPROF:
        return failure(tool, TIMEOUT, f"no result within {CPU_SECONDS:g} s of CPU time")
    if exitcode == _NO_THREAD:
        raise MemoryError(f"the process that runs {tool} cannot start a thread")
    if exitcode >= 0:
        raise RuntimeError(f"the process that runs {tool} ended with status {exitcode}")
    return failure(tool, CRASH, f"{tool} was killed by {signal.Signals(-exitcode).name}")


def _run(
    jobs: list[tuple[str, str]], linters: dict[str, Linter], sender: Connection, worker: int
) -> NoReturn:
    """Body of the child: bound this process, send one result a job, and end."""
    status = _NO_THREAD
    try:
        exit_when_parent_dies(worker)
        # Default actions: the kernel ends the process even inside C code that checks no signals.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        inherited = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = inherited + MEMORY_BYTES
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        warnings.simplefilter("ignore")
        # On a stack of its own: what is too deep for the linters then depends neither on who
        # called nor on the machine's stack limit.
        threading.stack_size(_STACK_BYTES)
        with ThreadPoolExecutor(max_workers=1) as thread:
            sending = thread.submit(_send_results, jobs, linters, sender)
            status = 1
            sending.result()
        status = 0
    except BaseException as error:
        # RuntimeError is what Python raises when a thread cannot be started.
        if status != _NO_THREAD or not isinstance(error, RuntimeError):
            status = 1
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(status)


def _send_results(
    jobs: list[tuple[str, str]], linters: dict[str, Linter], sender: Connection
) -> None:
    for tool, source in jobs:
        length = len(source.encode("utf-8", "surrogatepass"))
        if length > MAX_BYTES:
            message = f"{length:,} bytes; at most {MAX_BYTES:,} are linted"
            sender.send([failure(tool, TOO_LONG, message)])
            continue
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        findings = linters[tool](source)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sender.send(findings)
